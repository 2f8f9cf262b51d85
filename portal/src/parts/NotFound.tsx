import { useTranslation } from 'react-i18next'
import { Empty } from './Empty.tsx'
import { IconMapQuestion } from './first-icons.tsx'
import { AnchorLink } from './links.tsx'
import { PageHead } from './PageHead.tsx'

/** A path below ours at which there is nothing. */
export function NotFound() {
  const { t } = useTranslation()
  return (
    <>
      <PageHead title={t('notFound.title')} />
      <Empty
        icon={IconMapQuestion}
        title={t('notFound.what')}
        action={<AnchorLink to="/">{t('notFound.home')}</AnchorLink>}
      />
    </>
  )
}
