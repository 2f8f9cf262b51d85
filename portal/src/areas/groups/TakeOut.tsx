import { Skeleton, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { told } from '../../parts/told.ts'
import { losses } from './changes.ts'
import { Names } from './Names.tsx'
import { nameOf } from './names.ts'
import { member, nesting } from './queries.ts'

type Props = { group: string; dn: string | undefined; kind: 'member' | 'nested'; onClose: () => void }

/** Asks before somebody, or a group with all its members, is taken out, and says who stops being a member by that. */
export function TakeOut({ group, dn, kind, onClose }: Props) {
  const { t } = useTranslation('groups')
  const name = dn === undefined ? '' : nameOf(dn)
  const lost = useQuery({ ...losses(group, dn ?? ''), enabled: dn !== undefined })
  const removing = useMutation({
    mutationFn: (): Promise<unknown> =>
      kind === 'member' ? member.remove({ group, uid: name }) : nesting.remove({ group, child: name }),
    onSuccess: () => {
      onClose()
      told(t(`${kind}.removed`, { name, group }))
    },
  })
  const { data } = lost
  return (
    <Confirm
      opened={dn !== undefined}
      onClose={() => {
        onClose()
        removing.reset()
      }}
      title={t(`${kind}.removeTitle`, { name, group })}
      action={t(`${kind}.remove`)}
      onConfirm={() => data && removing.mutate()}
      busy={removing.isPending}
      error={removing.error}
    >
      {lost.error && <Failed error={lost.error} onRetry={lost.refetch} />}
      {!data && !lost.error && <Skeleton height={42} aria-label={t('counting')} role="status" />}
      {data?.length === 0 && t(kind === 'member' ? 'member.stays' : 'nested.noLoss', { name, group })}
      {data && data.length > 0 && kind === 'member' && t('member.goes', { name, group })}
      {data && data.length > 0 && kind === 'nested' && (
        <>
          <Text size="sm" mb={6}>
            {t('nested.loss', { count: data.length, group })}
          </Text>
          <Names dns={data} />
        </>
      )}
    </Confirm>
  )
}
