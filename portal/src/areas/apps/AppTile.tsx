import { ActionIcon, Badge, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconExternalLink, IconStar, IconStarFilled } from '../../parts/first-icons.tsx'
import { AppIcon } from './AppIcon.tsx'
import { hrefOf } from './listed.ts'
import type { useMine } from './mine.ts'
import type { Listed, Reached } from './queries.ts'

type FrameProps = {
  app: Listed | Reached
  href?: string | undefined
  onOpen?: () => void
  children?: ReactNode
  corner?: ReactNode
}

/** A card of an app; the whole of it is the link. */
export function TileFrame({ app, href, onOpen, children, corner }: FrameProps) {
  const { t } = useTranslation('apps')
  const about = app.metadata.tagline || app.description
  return (
    <li className={href ? 'card tile tile-link' : 'card tile'}>
      <AppIcon app={app} />
      <div className="tile-text">
        {href ? (
          <a
            href={href}
            className="tile-name"
            target="_blank"
            rel="noopener noreferrer"
            onClick={onOpen}
            onAuxClick={onOpen}
          >
            <bdi>{app.name}</bdi>
            <IconExternalLink size={14} stroke={2} aria-label={t('newWindow')} className="tile-out" />
          </a>
        ) : (
          <span className="tile-name">
            <bdi>{app.name}</bdi>
          </span>
        )}
        {about && (
          <Text size="sm" c="dimmed" lineClamp={2} component="p" m={0}>
            {about}
          </Text>
        )}
        {children}
      </div>
      {corner && <div className="tile-corner">{corner}</div>}
    </li>
  )
}

type Props = { app: Reached; mine: ReturnType<typeof useMine> }

/** An app within reach. */
export function AppTile({ app, mine }: Props) {
  const { t } = useTranslation('apps')
  const favourite = mine.isFavourite(app.id)
  const label = t(favourite ? 'unstar' : 'star', { name: app.name })
  const href = hrefOf(app)
  return (
    <TileFrame
      {...{ app, href }}
      onOpen={() => mine.opened(app.id)}
      corner={
        <ActionIcon
          variant="subtle"
          color={favourite ? 'yellow' : 'gray'}
          aria-label={label}
          title={label}
          aria-pressed={favourite}
          onClick={() => mine.toggle(app.id)}
        >
          {favourite ? <IconStarFilled size={18} /> : <IconStar size={18} stroke={1.75} />}
        </ActionIcon>
      }
    >
      <Where {...{ app, href }} />
    </TileFrame>
  )
}

/** Where it is: the host of its page, or the address that a program needs. */
export function Where({ app, href }: { app: Reached | Listed; href?: string | undefined }) {
  const { t } = useTranslation('apps')
  const address = href ?? hrefOf(app)
  const place = address ? new URL(address).host : (app.address ?? app.metadata.ip)
  return (
    <div className="tile-where">
      <Badge variant="light" color="gray" size="sm" tt="none" fw={500}>
        {t(`kind.${app.kind}`)}
      </Badge>
      {place && (
        <Text size="xs" c="dimmed" truncate component="span">
          {place}
          {app.metadata.sshPort ? `:${app.metadata.sshPort}` : ''}
        </Text>
      )}
    </div>
  )
}
