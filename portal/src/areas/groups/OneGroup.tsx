import { BackTo } from '../../parts/BackTo.tsx'
import './groups.css'
import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { mayUse, useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconInfoCircle, IconPencil, IconTrash } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { NotFound } from '../../parts/NotFound.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { isIn } from './changes.ts'
import { DeleteGroup } from './DeleteGroup.tsx'
import { DescribeGroup } from './DescribeGroup.tsx'
import { Everyone } from './Everyone.tsx'
import { Gives } from './Gives.tsx'
import { useHome } from './GroupLink.tsx'
import { Members } from './Members.tsx'
import { Nested } from './Nested.tsx'
import { NestingGraph } from './NestingGraph.tsx'
import { Owners } from './Owners.tsx'
import { effective, group } from './queries.ts'

/** One group: who is listed in it, which groups are, who owns it, and who is in it through all of that. */
export function OneGroup() {
  const { t } = useTranslation('groups')
  const { name = '' } = useParams({ strict: false })
  const home = useHome()
  const me = useMe()
  const [deletes, askToDelete] = useState(false)
  const [describes, describe] = useState(false)
  const one = useQuery(group(name))
  const all = useQuery(effective(name))
  const error = one.error ?? all.error
  if (error instanceof Failure && error.name === 'NotFound') return <NotFound />
  const canChange = one.data !== undefined && (mayUse(me, 'app_sso_admin') || isIn(one.data.owner, me.dn))
  return (
    <>
      <BackTo to={home} label={t(home === '/groups' ? 'title' : 'all.title')} />
      <PageHead
        title={one.data?.cn ?? name}
        lead={one.data ? one.data.description || t('noDescription') : '\u00a0'}
        actions={
          canChange && (
            <>
              <Button
                variant="default"
                onClick={() => describe(true)}
                leftSection={<IconPencil size={18} stroke={1.75} aria-hidden />}
              >
                {t('describe.open')}
              </Button>
              <Button
                variant="default"
                onClick={() => askToDelete(true)}
                leftSection={<IconTrash size={18} stroke={1.75} aria-hidden />}
              >
                {t('delete.open')}
              </Button>
            </>
          )
        }
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
          <NestingGraph name={one.data.cn} />
          <Gives group={one.data.cn} />
          <Everyone all={all.data} />
          <DescribeGroup group={one.data} opened={describes} onClose={() => describe(false)} />
          <DeleteGroup group={one.data.cn} opened={deletes} onClose={() => askToDelete(false)} />
        </>
      )}
    </>
  )
}
