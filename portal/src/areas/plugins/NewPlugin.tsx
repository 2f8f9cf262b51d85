import './plugins.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { LinkCard, LinkCards } from '../../parts/LinkCard.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { PluginForm } from './PluginForm.tsx'
import type { PluginType, Written } from './queries.ts'
import { create, types } from './queries.ts'

/** Sets up an instance: first of which type, then how. */
export function NewPlugin() {
  const { t } = useTranslation('plugins')
  const { type: wanted } = useSearch({ from: '/admin/plugins/new' })
  const { data, error, refetch } = useQuery(types)
  const type = data?.find((each) => each.type === wanted)
  return (
    <>
      <BackTo
        {...(type
          ? { to: '/admin/plugins/new', label: t('new.types') }
          : { to: '/admin/plugins', label: t('title') })}
      />
      <PageHead title={type ? t('new.titleOf', { type: type.name }) : t('new.title')} lead={t('new.lead')} />
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !data && <Loading rows={5} height={76} />}
      {type ? <Setup type={type} /> : data && <Choice types={data} />}
    </>
  )
}

function Choice({ types }: { types: PluginType[] }) {
  const { t } = useTranslation('plugins')
  return (
    <LinkCards label={t('new.types')}>
      {types.map(({ type, name, description }) => (
        <LinkCard
          key={type}
          link={
            <Link to="/admin/plugins/new" search={{ type }} className="link-card-name">
              {name}
            </Link>
          }
          under={<span lang="en">{description}</span>}
        />
      ))}
    </LinkCards>
  )
}

function Setup({ type }: { type: PluginType }) {
  const { t } = useTranslation('plugins')
  const navigate = useNavigate()
  const making = useMutation({
    mutationFn: (written: Written) => create(type.type, written, written.cron !== null),
    onSuccess: (id, { name }) => {
      told(t('new.done', { name }))
      return navigate({ to: '/admin/plugins/$id', params: { id }, replace: true, ignoreBlocker: true })
    },
  })
  return (
    <Panel title={t('form.title')} lead={<span lang="en">{type.description}</span>}>
      <PluginForm
        type={type}
        initial={{ name: type.name, cron: null, config: {} }}
        action={t('new.make')}
        onSubmit={making.mutate}
        busy={making.isPending}
        error={making.error}
        hint={type.secrets.length > 0 ? t('new.secretsLater', { count: type.secrets.length }) : undefined}
      />
    </Panel>
  )
}
