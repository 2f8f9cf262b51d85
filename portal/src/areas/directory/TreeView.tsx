import { useVirtualizer } from '@tanstack/react-virtual'
import type { KeyboardEvent, MouseEvent } from 'react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconChevronRight } from '../../parts/icons.tsx'
import { kindIcons } from './kinds.ts'
import type { Row, Tree } from './tree.ts'
import { keysAbove, rowsOf, wayTo } from './tree.ts'

type Props = {
  tree: Tree
  /** What is searched for, side by side; the tree without. */
  found: Row[] | undefined
  chosen: string | undefined
  onChoose: (id: string) => void
}

const rowHeight = 40

/** A tree that is opened as one goes, of which only the lines in sight are in the page (ARIA, tree view pattern). */
export function TreeView({ tree, found, chosen, onChoose }: Props) {
  const { t } = useTranslation('directory')
  const ids = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(chosen ? keysAbove(tree, chosen) : []))
  const [active, setActive] = useState('')
  const rows = useMemo(() => found ?? rowsOf(tree, open), [found, tree, open])
  const here = Math.max(
    0,
    rows.findIndex(({ key, id }) => (active === '' ? id === chosen : key === active)),
  )
  const virtual = useVirtualizer({
    ...{ count: rows.length, overscan: 8, getScrollElement: () => scroller.current },
    estimateSize: () => rowHeight,
    getItemKey: (at) => rows[at]?.key ?? at,
  })
  // What was chosen elsewhere, by a link or by going back, is to be seen here too.
  useEffect(() => {
    if (chosen === undefined) return
    setOpen((open) =>
      rowsOf(tree, open).some(({ id }) => id === chosen)
        ? open
        : new Set([...open, ...keysAbove(tree, chosen)]),
    )
    setActive((active) => (active.endsWith(chosen) ? active : ''))
  }, [tree, chosen])
  useEffect(() => virtual.scrollToIndex(here), [virtual, here])

  const toggle = ({ key, isOpen }: Row, to = !isOpen) => {
    setActive(key)
    if (isOpen === undefined || isOpen === to) return
    setOpen((open) => new Set(to ? [...open, key] : [...open].filter((each) => each !== key)))
  }
  const go = (to: number) => setActive(rows[Math.min(Math.max(to, 0), rows.length - 1)]?.key ?? '')
  const press = (event: KeyboardEvent) => {
    const row = rows[here]
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return
    const steps: Record<string, () => void> = {
      ArrowDown: () => go(here + 1),
      ArrowUp: () => go(here - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.isOpen === true ? go(here + 1) : toggle(row, true)),
      ArrowLeft: () => (row.isOpen === true ? toggle(row, false) : go(aboveOf(rows, here))),
      Enter: () => onChoose(row.id),
      ' ': () => onChoose(row.id),
    }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    step()
  }
  const click = ({ target }: MouseEvent) => {
    const line = (target as Element).closest<HTMLElement>('[data-key]')
    const row = rows.find(({ key }) => key === line?.dataset.key)
    if (!row) return
    if ((target as Element).closest('[data-toggle]')) return toggle(row)
    setActive(row.key)
    onChoose(row.id)
    scroller.current?.focus({ preventScroll: true })
  }
  return (
    <div
      ref={scroller}
      className="card directory-tree"
      role="tree"
      aria-label={t('tree')}
      aria-activedescendant={rows[here] ? ids + rows[here].key : undefined}
      tabIndex={0}
      style={{ height: virtual.getTotalSize() + 14 }}
      onKeyDown={press}
      onClick={click}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          const one = row && tree.all.get(row.id)
          if (!row || !one) return null
          const Icon = kindIcons[one.kind]
          const above = found && wayTo(tree, one.id).slice(0, -1)
          return (
            <div
              key={row.key}
              id={ids + row.key}
              data-key={row.key}
              data-active={index === here || undefined}
              className="directory-line"
              role="treeitem"
              tabIndex={-1}
              aria-level={row.level}
              aria-posinset={row.at}
              aria-setsize={row.of}
              aria-expanded={row.isOpen}
              aria-selected={row.id === chosen}
              style={{
                transform: `translateY(${start}px)`,
                paddingInlineStart: `${(row.level - 1) * 1.125 + 0.25}rem`,
              }}
            >
              <span className="directory-toggle" data-toggle={row.isOpen !== undefined || undefined}>
                {row.isOpen !== undefined && (
                  <IconChevronRight
                    {...{ size: 16, stroke: 2, className: 'directory-turn' }}
                    data-open={row.isOpen || undefined}
                    aria-hidden
                  />
                )}
              </span>
              <Icon size={18} stroke={1.75} aria-hidden />
              <bdi>{one.name}</bdi>
              {above && above.length > 0 && (
                <small>
                  <bdi>{above.map(({ name }) => name).join(' › ')}</bdi>
                </small>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function aboveOf(rows: readonly Row[], at: number): number {
  const level = rows[at]?.level ?? 1
  const above = rows.slice(0, at).findLastIndex((row) => row.level < level)
  return above < 0 ? at : above
}
