import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { told } from '../../parts/told.ts'
import { endImpersonation, forget, remove, sendReset, setActive, signOutEverywhere } from './changes.ts'
import { ImpersonateDialog } from './ImpersonateDialog.tsx'
import { Losses } from './Losses.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import type { Someone } from './queries.ts'
import { sessionsOf } from './queries.ts'
import { nameOf } from './said.ts'

/** What can be asked about. */
export type Doing = 'lock' | 'signOut' | 'reset' | 'delete' | 'endImpersonation' | 'password' | 'impersonate'
type Props = { who: Someone; doing: Doing | undefined; onClose: () => void }

/** Every question about one person; at most one is open. */
export function Dialogs({ who, doing, onClose }: Props) {
  const { t } = useTranslation('people')
  const navigate = useNavigate()
  const name = nameOf(who)
  const step = { who, doing, onClose }
  return (
    <>
      <Step {...step} what="lock" run={() => setActive(who.uid, false)}>
        {t('do.lock.text', { name, uid: who.uid })} <Losses uid={who.uid} of={['sessions']} />
      </Step>
      <Step {...step} what="signOut" run={() => signOutEverywhere(who.uid)}>
        {t('do.signOut.text', { name })} <Losses uid={who.uid} of={['sessions']} />
      </Step>
      <Step {...step} what="endImpersonation" run={() => endImpersonation(who.uid)}>
        <Impersonated {...{ who }} />
      </Step>
      <Step {...step} what="reset" run={() => sendReset(who.mail)}>
        {t('do.reset.text', { mail: who.mail })}
      </Step>
      <Step
        {...{ ...step, what: 'delete', typed: who.uid }}
        run={() => remove(who.uid)}
        after={() => navigate({ to: '/people' }).then(() => forget(who.uid))}
      >
        {t('do.delete.text', { name, uid: who.uid })}{' '}
        <Losses uid={who.uid} of={['sessions', 'groups', 'owned']} />
      </Step>
      <PasswordDialog who={who} opened={doing === 'password'} onClose={onClose} />
      <ImpersonateDialog who={who} opened={doing === 'impersonate'} onClose={onClose} />
    </>
  )
}

type StepProps = Props & {
  what: 'lock' | 'signOut' | 'reset' | 'delete' | 'endImpersonation'
  run: () => Promise<unknown>
  after?: () => unknown
  typed?: string
  children: ReactNode
}

function Step({ who, doing, onClose, what, run, after, typed, children }: StepProps) {
  const { t } = useTranslation('people')
  const name = nameOf(who)
  const step = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      onClose()
      told(t(`do.${what}.done`, { name, mail: who.mail }))
      await after?.()
    },
  })
  return (
    <Confirm
      opened={doing === what}
      onClose={() => {
        onClose()
        step.reset()
      }}
      title={t(`do.${what}.title`, { name })}
      action={t(`do.${what}.action`)}
      danger={what !== 'reset'}
      onConfirm={() => step.mutate()}
      busy={step.isPending}
      error={step.error}
      typed={typed}
    >
      {children}
    </Confirm>
  )
}

function Impersonated({ who }: { who: Someone }) {
  const { t } = useTranslation('people')
  const { data: sessions = [] } = useQuery(sessionsOf(who.uid))
  const count = sessions.filter(({ impersonator }) => impersonator).length
  return t('do.endImpersonation.text', { count, name: nameOf(who) })
}
