import './bars.css'
import { useTranslation } from 'react-i18next'

/** `name` says what it stands for: a day, an hour. */
export type Bar = { key: string | number; name: string; value: number }
type Props = {
  /** What is seen at a glance, for those who do not see it. */
  label: string
  /** Heads of the table that says the same: of what each bar stands for, and of its number. */
  columns: [string, string]
  bars: readonly Bar[]
  /** How the ends of the axis are called. */
  from: string
  to: string
  tone?: 'alert'
}

const height = 112
const gap = 0.22

/** Numbers over time as bars, and behind a button the same as a table. */
export function Bars({ label, columns, bars, from, to, tone }: Props) {
  const { t, i18n } = useTranslation()
  const number = new Intl.NumberFormat(i18n.language)
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const step = 100 / Math.max(1, bars.length)
  return (
    <figure className="bars" data-tone={tone}>
      <div className="bars-most" aria-hidden>
        {number.format(highest)}
      </div>
      <svg role="img" aria-label={label} width="100%" height={height} className="bars-drawn">
        <line x1="0" x2="100%" y1="0.5" y2="0.5" />
        <line x1="0" x2="100%" y1={height - 0.5} y2={height - 0.5} />
        {bars.map(({ key, name, value }, nth) => {
          const tall = value === 0 ? 0 : Math.max(3, (value / highest) * (height - 8))
          return (
            <g key={key}>
              <title>{`${name}: ${number.format(value)}`}</title>
              <rect className="bars-room" x={`${nth * step}%`} y={0} width={`${step}%`} height={height} />
              <rect
                className="bars-bar"
                x={`${(nth + gap / 2) * step}%`}
                y={height - tall}
                width={`${step * (1 - gap)}%`}
                height={tall}
                rx={2}
              />
            </g>
          )
        })}
      </svg>
      <div className="bars-ends" aria-hidden>
        <span>{from}</span>
        <span>{to}</span>
      </div>
      <details>
        <summary>{t('asTable')}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{columns[0]}</th>
              <th scope="col">{columns[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, name, value }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{number.format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
