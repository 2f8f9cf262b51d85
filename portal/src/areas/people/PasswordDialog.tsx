import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { setPassword } from './changes.ts'
import { Losses } from './Losses.tsx'
import { OnceDialog } from './OnceDialog.tsx'
import type { Someone } from './queries.ts'
import { nameOf } from './said.ts'

type Props = { who: Someone; opened: boolean; onClose: () => void }

/** A new password for somebody who cannot get a reset link. */
export function PasswordDialog({ who, opened, onClose }: Props) {
  const { t } = useTranslation('people')
  const name = nameOf(who)
  const setting = useMutation({ mutationFn: () => setPassword(who.uid), gcTime: 0 })
  return (
    <OnceDialog
      {...{ opened, onClose }}
      title={t('do.password.title', { name })}
      question={
        <>
          {t('do.password.text', { name })} <Losses uid={who.uid} of={['sessions']} />
        </>
      }
      action={t('do.password.action')}
      onConfirm={() => setting.mutate()}
      busy={setting.isPending}
      error={setting.error}
      secret={setting.data}
      label={t('do.password.label')}
      onGone={setting.reset}
    >
      {t('do.password.once', { name })}
    </OnceDialog>
  )
}
