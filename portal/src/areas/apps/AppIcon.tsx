import { useState } from 'react'
import type { Icon } from '../../parts/first-icons.tsx'
import * as icons from '../../parts/first-icons.tsx'
import type { Reached } from './queries.ts'

type Props = { app: Pick<Reached, 'name' | 'kind' | 'metadata'>; size?: number }

/** The picture of an app: its own, one of ours by name, else its first letters on a colour that is always its own. */
export function AppIcon({ app: { name, kind, metadata }, size = 44 }: Props) {
  const [failed, setFailed] = useState(false)
  const { icon = '' } = metadata
  const box = { width: size, height: size }
  if (/^https:\/\//i.test(icon) && !failed)
    return (
      <span className="app-icon app-picture" style={box} aria-hidden>
        <img src={icon} alt="" referrerPolicy="no-referrer" loading="lazy" onError={() => setFailed(true)} />
      </span>
    )
  const Known = named[icon.toLowerCase()] ?? ofKind[kind]
  return (
    <span className="app-icon" data-hue={hue(name)} style={box} aria-hidden>
      {Known ? <Known size={size * 0.55} stroke={1.75} /> : initials(name)}
    </span>
  )
}

const ofKind: Partial<Record<Reached['kind'], Icon>> = { host: icons.IconServer, site: icons.IconBuilding }
const named: Record<string, Icon> = {
  wiki: icons.IconBook,
  book: icons.IconBook,
  docs: icons.IconFileText,
  code: icons.IconCode,
  git: icons.IconCode,
  chat: icons.IconMessage,
  mail: icons.IconMail,
  calendar: icons.IconCalendar,
  files: icons.IconFolder,
  cloud: icons.IconCloud,
  monitoring: icons.IconChartBar,
  chart: icons.IconChartBar,
  database: icons.IconDatabase,
  terminal: icons.IconTerminal,
  people: icons.IconUsers,
  server: icons.IconServer,
  web: icons.IconWorld,
}

function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ['?']
  const [first = '?', second] = words
  return ([...first][0] + (second ? ([...second][0] ?? '') : ([...first][1] ?? ''))).toUpperCase()
}

/** One of eight colours, by the name. */
function hue(name: string): number {
  let sum = 0
  for (const sign of name) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) >>> 0
  return sum % 8
}
