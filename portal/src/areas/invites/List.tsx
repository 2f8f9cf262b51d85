import { ActionIcon, Badge, Menu, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import * as icons from '../../parts/icons.tsx'
import { Time } from '../../parts/Time.tsx'
import { Questions } from './Questions.tsx'
import type { Invite } from './queries.ts'
import { useAgain } from './useAgain.ts'

const size = { size: 18, stroke: 1.75, 'aria-hidden': true } as const
const colours = { valid: 'brand', used: 'green', revoked: 'gray', expired: 'yellow' } as const

/** What is asked about one of them. */
export type Doing = { what: 'link' | 'revoke'; invite: Invite }

/** Invites, each with its state and what can be done with it. */
export function List({ rows }: { rows: Invite[] }) {
  const { t } = useTranslation('invites')
  const [doing, start] = useState<Doing>()
  const [opened, open] = useState(false)
  return (
    <>
      <ul className="plain-list card rows invites-list" aria-label={t('title')}>
        {rows.map((invite) => (
          <Row
            key={invite.token}
            invite={invite}
            onStart={(what) => {
              start({ what, invite })
              open(true)
            }}
          />
        ))}
      </ul>
      {doing && <Questions doing={doing} opened={opened} onClose={() => open(false)} />}
    </>
  )
}

type RowProps = { invite: Invite; onStart: (what: Doing['what']) => void }

function Row({ invite, onStart }: RowProps) {
  const { t } = useTranslation('invites')
  const { mail, groups, state, created_by, created_on } = invite
  const isAdmin = mayUse(useMe(), 'app_sso_admin')
  return (
    <li className="invites-row">
      <div className="invites-who">
        <Text component="span" fw={600} c="bright">
          {mail ? <bdi>{mail}</bdi> : t('byLink')}
        </Text>
        <Text component="span" size="sm" c="dimmed">
          {isAdmin && (
            <>
              {t('madeBy')} <bdi>{created_by}</bdi>,{' '}
            </>
          )}
          <Time at={created_on} />
          {groups.length > 0 && ` · ${t('joins', { groups: groups.join(', ') })}`}
        </Text>
      </div>
      <div className="invites-state">
        <Badge component="span" variant="light" tt="none" color={colours[state]}>
          {state === 'valid' && !mail ? t('state.link') : t(`state.${state}`)}
        </Badge>
        <Text component="span" size="sm" c="dimmed">
          <Since invite={invite} linked={isAdmin} />
        </Text>
      </div>
      <Actions invite={invite} onStart={onStart} />
    </li>
  )
}

function Since({ invite, linked }: { invite: Invite; linked: boolean }) {
  const { t } = useTranslation('invites')
  const { state, expires_at, used_by, used_on } = invite
  if (state === 'valid' || state === 'expired')
    return (
      <>
        {t(state === 'valid' ? 'ends' : 'ended')} <Time at={expires_at} />
      </>
    )
  if (state !== 'used' || used_by === undefined || used_on === undefined) return null
  return (
    <>
      {t('usedBy')}{' '}
      {linked ? (
        <Link to="/people/$uid" params={{ uid: used_by }} preload={false}>
          {used_by}
        </Link>
      ) : (
        used_by
      )}
      , <Time at={used_on} />
    </>
  )
}

function Actions({ invite, onStart }: RowProps) {
  const { t } = useTranslation('invites')
  const { mail, state } = invite
  const again = useAgain(invite)
  const name = mail ?? t('byLink')
  if (state === 'used' || (state !== 'valid' && !mail)) return <span className="invites-do" />
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          className="invites-do"
          variant="default"
          size="lg"
          aria-label={t('actionsOf', { name })}
          loading={again.isPending}
        >
          <icons.IconDots {...size} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mail && (
          <Menu.Item leftSection={<icons.IconSend {...size} />} onClick={() => again.mutate()}>
            {t(state === 'valid' ? 'do.send' : 'do.again')}
          </Menu.Item>
        )}
        {state === 'valid' && (
          <>
            <Menu.Item leftSection={<icons.IconLink {...size} />} onClick={() => onStart('link')}>
              {t('do.link')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              className="invites-danger"
              leftSection={<icons.IconBan {...size} />}
              onClick={() => onStart('revoke')}
            >
              {t('do.revoke')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
