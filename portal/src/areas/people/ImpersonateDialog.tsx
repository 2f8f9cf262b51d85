import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Time } from '../../parts/Time.tsx'
import { impersonate } from './changes.ts'
import { OnceDialog } from './OnceDialog.tsx'
import type { Someone } from './queries.ts'
import { nameOf } from './said.ts'

type Props = { who: Someone; opened: boolean; onClose: () => void }

/** A temporary password, to see what somebody sees. */
export function ImpersonateDialog({ who, opened, onClose }: Props) {
  const { t } = useTranslation('people')
  const name = nameOf(who)
  const [reason, setReason] = useState('')
  const starting = useMutation({ mutationFn: () => impersonate(who.uid, reason.trim()), gcTime: 0 })
  return (
    <OnceDialog
      {...{ opened, onClose }}
      title={t('do.impersonate.title', { name })}
      question={
        <>
          {t('do.impersonate.text', { name })}
          <TextInput
            mt="md"
            label={t('do.impersonate.reason')}
            description={t('do.impersonate.reasonFor')}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={500}
            required
            data-autofocus
          />
        </>
      }
      ready={reason.trim() !== ''}
      action={t('do.impersonate.action')}
      onConfirm={() => starting.mutate()}
      busy={starting.isPending}
      error={starting.error}
      secret={starting.data?.temp_password}
      label={t('do.impersonate.label')}
      onGone={() => {
        starting.reset()
        setReason('')
      }}
    >
      {t('do.impersonate.once', { uid: who.uid })}{' '}
      {starting.data && (
        <>
          {t('do.impersonate.ends')} <Time at={starting.data.expires_at} />.
        </>
      )}
    </OnceDialog>
  )
}
