import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { nameOf } from '../../parts/names.ts'
import { told } from '../../parts/told.ts'
import { Effect, useEffectOf } from './Effect.tsx'
import { member, nesting } from './queries.ts'

type Props = { group: string; dn: string | undefined; kind: 'member' | 'nested'; onClose: () => void }

/** Asks before somebody, or a group with all its members, is taken out, and says who loses what by that. */
export function TakeOut({ group, dn, kind, onClose }: Props) {
  const { t } = useTranslation('groups')
  const name = dn === undefined ? '' : nameOf(dn)
  const change = kind === 'member' ? 'removeMember' : 'unnest'
  const { data } = useEffectOf({ group, change, name })
  const removing = useMutation({
    mutationFn: (): Promise<unknown> =>
      kind === 'member' ? member.remove({ group, uid: name }) : nesting.remove({ group, child: name }),
    onSuccess: () => {
      onClose()
      told(t(`${kind}.removed`, { name, group }))
    },
  })
  return (
    <Confirm
      opened={dn !== undefined}
      onClose={() => {
        onClose()
        removing.reset()
      }}
      title={t(`${kind}.removeTitle`, { name, group })}
      action={t(`${kind}.remove`)}
      onConfirm={() => removing.mutate()}
      ready={data !== undefined}
      busy={removing.isPending}
      error={removing.error}
    >
      {name !== '' && <Effect {...{ group, change, name }} />}
    </Confirm>
  )
}
