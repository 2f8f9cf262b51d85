import './groups.css'
import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { mayUse, useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconArrowLeft, IconInfoCircle } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { NotFound } from '../../parts/NotFound.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { isIn } from './changes.ts'
import { Everyone } from './Everyone.tsx'
import { Members } from './Members.tsx'
import { Nested } from './Nested.tsx'
import { Owners } from './Owners.tsx'
import { effective, group } from './queries.ts'

/** One group: who is listed in it, which groups are, who owns it, and who is in it through all of that. */
export function OneGroup() {
  const { t } = useTranslation('groups')
  const { name } = useParams({ from: '/groups/$name' })
  const me = useMe()
  const one = useQuery(group(name))
  const all = useQuery(effective(name))
  const error = one.error ?? all.error
  if (error instanceof Failure && error.name === 'NotFound') return <NotFound />
  const canChange = one.data !== undefined && (mayUse(me, 'app_sso_admin') || isIn(one.data.owner, me.dn))
  return (
    <>
      <Anchor component={Link} to="/groups" size="sm" className="groups-back">
        <IconArrowLeft size={16} stroke={2} aria-hidden />
        {t('title')}
      </Anchor>
      <PageHead
        title={one.data?.cn ?? name}
        lead={one.data ? one.data.description || t('noDescription') : '\u00a0'}
      />
      {error && <Failed error={error} onRetry={() => Promise.all([one.refetch(), all.refetch()])} />}
      {!error && !(one.data && all.data) && <Loading rows={3} height={180} />}
      {one.data && all.data && (
        <>
          {!canChange && (
            <Alert icon={<IconInfoCircle aria-hidden />} mb="md">
              {t('readOnly')}
            </Alert>
          )}
          <Members group={one.data} all={all.data} canChange={canChange} />
          <Nested group={one.data} all={all.data} canChange={canChange} />
          <Owners group={one.data} canChange={canChange} />
          <Everyone all={all.data} />
        </>
      )}
    </>
  )
}
