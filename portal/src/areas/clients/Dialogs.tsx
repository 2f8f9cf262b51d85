import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { told } from '../../parts/told.ts'
import type { Doing } from './Actions.tsx'
import { forget, remove, switchTo } from './changes.ts'
import { Losses } from './Losses.tsx'
import { RotateDialog } from './RotateDialog.tsx'
import type { Client } from './types.ts'

type Props = { client: Client; doing: Doing | undefined; onClose: () => void }

/** Every question about one application; at most one is open. */
export function Dialogs({ client, doing, onClose }: Props) {
  const navigate = useNavigate()
  const { client_id, name } = client
  return (
    <>
      <RotateDialog client={client} opened={doing === 'rotate'} onClose={onClose} />
      <Step what="off" run={() => switchTo(false, client_id)} {...{ client, doing, onClose }} />
      <Step
        what="delete"
        run={() => remove(client_id)}
        after={() =>
          navigate({ to: '/admin/applications', ignoreBlocker: true }).then(() => forget(client_id))
        }
        typed={name}
        {...{ client, doing, onClose }}
      />
    </>
  )
}

type StepProps = Props & {
  what: 'off' | 'delete'
  run: () => Promise<unknown>
  after?: () => unknown
  typed?: string
}

function Step({ client, doing, onClose, what, run, after, typed }: StepProps) {
  const { t } = useTranslation('clients')
  const { name } = client
  const step = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      onClose()
      told(t(`do.${what}.done`, { name }))
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
      onConfirm={() => step.mutate()}
      busy={step.isPending}
      error={step.error}
      typed={typed}
    >
      {t(`do.${what}.text`, { name })}
      {doing === what && <Losses client={client} />}
    </Confirm>
  )
}
