import './notifications.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Editor } from './Editor.tsx'
import { choiceOf } from './filter.ts'
import { notification } from './queries.ts'

/** A new notification, perhaps one like another that was sent. */
export function NewNotification() {
  const { t } = useTranslation('notifications')
  const { like } = useSearch({ from: '/admin/notifications/new' })
  const { data, error } = useQuery({ ...notification(like ?? ''), enabled: like !== undefined })
  const isKnown = like === undefined || data !== undefined || error !== null
  return (
    <>
      <BackTo to="/admin/notifications" label={t('title')} />
      <PageHead title={t('new.title')} lead={t('new.lead')} />
      {isKnown ? (
        <Editor
          key={data?.notification_id ?? 'new'}
          initial={
            data
              ? { choice: choiceOf(data), subject: data.subject, text: data.message, isHtml: true }
              : {
                  choice: { who: 'all_active', names: [], activeOnly: false },
                  subject: '',
                  text: '',
                  isHtml: false,
                }
          }
        />
      ) : (
        <Loading rows={3} height={200} />
      )}
    </>
  )
}
