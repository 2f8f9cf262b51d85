import './layered-graph.css'
import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Placed, Tie } from './layers.ts'
import { box, layOut } from './layers.ts'

type Props = {
  label: string
  middle: string
  ties: readonly Tie[]
  /** What stands for one: a link for all but the middle. */
  node: (id: string) => ReactNode
  /** A tie in words, for the list beside the picture. */
  said: (tie: Tie) => string
}

/** As many as one can still follow. */
const most = 60
const pageSize = 100

/** What lies around something: above it to the left, below it to the right; links in a picture, and the same as a list. */
export function LayeredGraph({ label, middle, ties, node, said }: Props) {
  const { t } = useTranslation()
  const drawing = useMemo(() => layOut(middle, ties, most), [middle, ties])
  const { placed, width, height, left } = drawing
  const scroller = useRef<HTMLDivElement>(null)
  const at = placed.find(({ id }) => id === middle)
  const middleX = at?.x ?? 0
  const middleY = at?.y ?? 0
  useLayoutEffect(() => {
    const { current } = scroller
    if (!current) return
    current.scrollLeft = middleX - (current.clientWidth - box.width) / 2
    current.scrollTop = middleY - (current.clientHeight - box.height) / 2
  }, [middleX, middleY])
  return (
    <>
      <div ref={scroller} className="graph-scroller">
        <div className="graph" style={{ width, height }}>
          <Lines {...drawing} />
          <ul className="plain-list" aria-label={label}>
            {placed.map(({ id, x, y }) => (
              <li
                key={id}
                className="graph-node"
                data-middle={id === middle || undefined}
                style={{ width: box.width, height: box.height, transform: `translate(${x}px, ${y}px)` }}
              >
                {node(id)}
              </li>
            ))}
          </ul>
        </div>
      </div>
      {left > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('graph.left', { count: left })}
        </Text>
      )}
      <Words ties={ties} said={said} />
    </>
  )
}

function Lines({
  placed,
  ties,
  width,
  height,
}: {
  placed: Placed[]
  ties: Tie[]
  width: number
  height: number
}) {
  const places = new Map(placed.map((each) => [each.id, each]))
  return (
    <svg className="graph-lines" width={width} height={height} aria-hidden="true" focusable="false">
      {ties.map(({ from, to }) => {
        const [a, b] = [places.get(from), places.get(to)]
        if (!a || !b) return null
        const [x1, y1] = [a.x + box.width, a.y + box.height / 2]
        const [x2, y2] = [b.x, b.y + box.height / 2]
        const bend = box.across / 2
        return (
          <g key={`${from}\n${to}`}>
            <path d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 4} ${y2}`} />
            <path className="graph-tip" d={`M${x2} ${y2}l-7 -4v8z`} />
          </g>
        )
      })}
    </svg>
  )
}

function Words({ ties, said }: Pick<Props, 'ties' | 'said'>) {
  const { t } = useTranslation()
  const [limit, extend] = useState(pageSize)
  if (ties.length === 0) return null
  return (
    <details className="graph-words">
      <summary>{t('graph.words')}</summary>
      <ul>
        {ties.slice(0, limit).map((tie) => (
          <li key={`${tie.from}\n${tie.to}`}>{said(tie)}</li>
        ))}
      </ul>
      {ties.length > limit && (
        <Button size="xs" variant="default" onClick={() => extend(limit + pageSize)}>
          {t('more')}
        </Button>
      )}
    </details>
  )
}
