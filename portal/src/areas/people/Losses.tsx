import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { groupsOf, sessionsOf } from './queries.ts'
import { firstOf } from './said.ts'

type Loss = 'sessions' | 'groups' | 'owned'

/** What an account loses by a step, by name and number; read anew while the question is open. */
export function Losses({ uid, of }: { uid: string; of: Loss[] }) {
  const { t } = useTranslation(['people', 'app'])
  const { data: sessions } = useQuery({ ...sessionsOf(uid), staleTime: 0 })
  const { data: groups } = useQuery({ ...groupsOf(uid), enabled: of.includes('groups') })
  if (!sessions || (of.includes('groups') && !groups))
    return <Skeleton height={20} mt="xs" role="status" aria-label={t('app:loading')} />
  const direct = groups?.results.filter(({ via }) => via.length === 1).map(({ cn }) => cn) ?? []
  const owned = groups?.owned ?? []
  return (
    <ul className="person-losses">
      <li>{t('losses.sessions', { count: sessions.length })}</li>
      {of.includes('groups') && <Named what="groups" names={direct} />}
      {of.includes('owned') && <Named what="owned" names={owned} />}
    </ul>
  )
}

function Named({ what, names }: { what: 'groups' | 'owned'; names: string[] }) {
  const { t } = useTranslation('people')
  const first = firstOf(names)
  return (
    <li>
      {t(`losses.${what}`, { count: names.length })}
      {names.length > 0 && `: ${first.names}`}
      {first.more > 0 && ` ${t('losses.more', { count: first.more })}`}
    </li>
  )
}
