import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { flags, known, numbers, usual, words } from './kinds.ts'
import type { Resource } from './queries.ts'
import type { Tree } from './tree.ts'

/** What is said of a resource; of its kind's usual fields also which are not. */
export function Facts({ of, tree }: { of: Resource; tree: Tree }) {
  const { t } = useTranslation('directory')
  const { kind, description, owner, metadata } = of
  const fields = [...words, ...numbers].filter((name) => usual[kind].includes(name) || metadata[name])
  const more = Object.entries(metadata).filter(([name]) => !known.includes(name))
  return (
    <Panel title={t('facts.title')}>
      <dl className="directory-facts">
        <Fact label={t('fields.description')}>{description}</Fact>
        <Fact label={t('fields.owner')}>{owner && <Person uid={owner} />}</Fact>
        {fields.map((name) => (
          <Fact key={name} label={t(`fields.${name}`)}>
            {name === 'address' && !metadata.address ? (
              <Inherited of={of} tree={tree} />
            ) : (
              <Said>{metadata[name]}</Said>
            )}
          </Fact>
        ))}
        {flags.map((name) => (
          <Fact key={name} label={t(`fields.${name}`)}>
            {t(metadata[name] === true ? `facts.${name}.yes` : `facts.${name}.no`)}
          </Fact>
        ))}
        {more.map(([name, value]) => (
          <Fact key={name} label={name}>
            <Said>{value}</Said>
          </Fact>
        ))}
        <Fact label={t('facts.made')}>
          {t('facts.by', { who: of.created_by })} <Time at={of.created_on} />
        </Fact>
        <Fact label={t('facts.changed')}>
          {t('facts.by', { who: of.updated_by })} <Time at={of.updated_on} />
        </Fact>
      </dl>
    </Panel>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  const { t } = useTranslation('directory')
  const isThere = children !== undefined && children !== null && children !== ''
  return (
    <div>
      <dt>{label}</dt>
      <dd>{isThere ? children : <span className="muted">{t('facts.none')}</span>}</dd>
    </div>
  )
}

/** A web address as a link; all else as it stands. */
function Said({ children: value }: { children: unknown }) {
  const { t } = useTranslation('directory')
  if (value === undefined || value === '') return <span className="muted">{t('facts.none')}</span>
  const text = String(value)
  if (!/^https?:\/\//.test(text)) return <bdi>{text}</bdi>
  return (
    <Anchor href={text} target="_blank" rel="noreferrer noopener" inherit>
      <bdi>{text}</bdi>
    </Anchor>
  )
}

/** The address comes from the nearest above that has one. */
function Inherited({ of, tree }: { of: Resource; tree: Tree }) {
  const { t } = useTranslation('directory')
  const climbed = new Set(of.parents)
  for (const id of climbed) {
    const one = tree.all.get(id)
    if (one?.address) return t('facts.inherited', { address: one.address, name: one.name })
    for (const above of one?.parents ?? []) climbed.add(above)
  }
  return <span className="muted">{t('facts.none')}</span>
}

function Person({ uid }: { uid: string }) {
  if (!mayUse(useMe(), 'app_sso_admin')) return <bdi>{uid}</bdi>
  return (
    <Link to="/people/$uid" params={{ uid }} className="directory-link" preload={false}>
      <bdi>{uid}</bdi>
    </Link>
  )
}
