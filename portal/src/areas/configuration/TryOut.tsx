import { Alert, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconCheck, IconSend } from '../../parts/icons.tsx'
import { tryOut } from './queries.ts'

/** Sends a test by what is saved, and says what came of it. */
export function TryOut({ what, isUnsaved }: { what: 'mail' | 'sms'; isUnsaved: boolean }) {
  const { t } = useTranslation('configuration')
  const { mail, mobile = '' } = useMe()
  const [to, setTo] = useState(what === 'mail' ? mail : mobile)
  const trying = useMutation({ mutationFn: () => tryOut(what, to.trim()) })
  const { data: tried } = trying
  return (
    <form
      className="conf-try"
      onSubmit={(event) => {
        event.preventDefault()
        trying.mutate()
      }}
    >
      <TextInput
        label={t(`try.${what}.to`)}
        description={t(isUnsaved ? 'try.unsaved' : 'try.hint')}
        type={what === 'mail' ? 'email' : 'tel'}
        required
        withAsterisk={false}
        minLength={3}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        loading={trying.isPending}
        leftSection={<IconSend size={18} stroke={1.75} aria-hidden />}
      >
        {t(`try.${what}.send`)}
      </Button>
      <div className="conf-tried" aria-live="polite">
        {trying.error && <Failed error={trying.error} />}
        {tried && (
          <Alert
            color={tried.success ? 'green' : 'red'}
            icon={tried.success ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
            title={t(`try.${what}.${tried.success ? 'sent' : 'failed'}`)}
          >
            <span lang="en">{tried.message}</span>
          </Alert>
        )}
      </div>
    </form>
  )
}
