import { Radio, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { HtmlFrame } from '../../parts/HtmlFrame.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { preview } from './queries.ts'

/** The mail as the service makes it: what is not safe in one is gone from it already. */
export function MailPreview({ subject, message }: { subject: string; message: string }) {
  const { t } = useTranslation('notifications')
  const [as, setAs] = useState<string>('html')
  const { data, error, refetch } = useQuery({
    ...preview(subject, message),
    placeholderData: keepPreviousData,
  })
  if (error) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Loading rows={1} height={416} />
  return (
    <Stack gap="sm">
      <Radio.Group aria-label={t('preview.as')} value={as} onChange={setAs}>
        <div className="notes-forms">
          <Radio value="html" label={t('preview.html')} />
          <Radio value="text" label={t('preview.text')} />
        </div>
      </Radio.Group>
      {as === 'html' ? (
        <HtmlFrame title={t('preview.title')} html={data.html} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached
        <pre className="notes-plain" tabIndex={0} aria-label={t('preview.text')} role="document">
          {data.text}
        </pre>
      )}
    </Stack>
  )
}
