import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle, IconCircleCheck, IconMinus } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { isFailing, keysOf } from './problems.ts'
import type { ChannelState, Status } from './queries.ts'
import { status } from './queries.ts'

/** How what this service stands on is doing. */
export function Systems() {
  const { t, i18n } = useTranslation('home')
  const { data, isError } = useQuery(status)
  if (!data) return isError ? null : <Loading rows={1} height={420} />
  const { ldap, redis, mail, sms, channels, pods, jobs } = data
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' })
  return (
    <div id="systems">
      <Panel title={t('systems.title')}>
        <ul className="plain-list rows">
          <System name={t('systems.ldap')} is={ldap.status === 'ok' ? 'well' : 'wrong'}>
            {t(ldap.status === 'ok' ? 'systems.answers' : 'systems.away')}
            {ldap.lacks.length > 0 && (
              <details className="home-lacks">
                <summary>{t('systems.lacks', { count: ldap.lacks.length })}</summary>
                <ul lang="en">
                  {ldap.lacks.map(({ feature, consequence }) => (
                    <li key={feature}>
                      {feature}: {consequence}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </System>
          <System
            name={t('systems.redis')}
            is={redis.status !== 'ok' || redis.warnings.length > 0 ? 'wrong' : 'well'}
          >
            {t(redis.status === 'ok' ? 'systems.answers' : 'systems.away')}
            {redis.status === 'ok' && ` ${t('systems.keeps', { how: kept(redis.persistence) })}`}
          </System>
          {mail === 'configured' ? (
            <Channel name={t('systems.mail')} of={channels?.mail} />
          ) : (
            <System name={t('systems.mail')} is="wrong">
              {t('systems.notSetUp')}
            </System>
          )}
          {sms === 'configured' ? (
            <Channel name={t('systems.sms')} of={channels?.sms} />
          ) : (
            <System name={t('systems.sms')} is="none">
              {t('systems.smsNot')}
            </System>
          )}
          <Work name={t('systems.delivery')} of={jobs.delivery} />
          <Work name={t('systems.plugins')} of={jobs.plugins} />
          <System name={t('systems.pods')} is={pods === null ? 'none' : 'well'}>
            {pods === null ? t('systems.unknown') : t('systems.running', { count: pods })}
          </System>
          {keysOf(data).map(({ algorithm, since, next }) => (
            <System
              key={algorithm}
              name={t('systems.key', { algorithm })}
              is={since === undefined ? 'wrong' : 'well'}
            >
              {since === undefined && t('systems.noKey')}
              {since === 0 && t('systems.firstKey')}
              {since !== undefined && since > 0 && t('systems.signs', { date: date.format(since) })}{' '}
              {next === undefined ? t('systems.nextUnmade') : t('systems.next', { date: date.format(next) })}
            </System>
          ))}
        </ul>
      </Panel>
    </div>
  )

  function kept(persistence: string): string {
    const known = { 'append-only file': 'file', snapshots: 'snapshots', off: 'off' } as const
    return t(`systems.kept.${known[persistence as keyof typeof known] ?? 'unknown'}`)
  }
}

const pictures = { well: IconCircleCheck, wrong: IconAlertTriangle, none: IconMinus }
type SystemProps = { name: string; is: keyof typeof pictures; children: ReactNode }

function System({ name, is, children }: SystemProps) {
  const { t } = useTranslation('home')
  const Picture = pictures[is]
  return (
    <li className="home-system" data-is={is}>
      <Picture size={20} stroke={1.75} color="var(--home-picture)" aria-label={t(`systems.is.${is}`)} />
      <span className="home-system-name">{name}</span>
      <div className="grows">{children}</div>
    </li>
  )
}

/** A way to people that is set up: how it did last, since nothing is sent to find out. */
function Channel({ name, of }: { name: string; of: ChannelState | undefined }) {
  const { t } = useTranslation('home')
  const { sent_on = null, failed_on = null, error } = of ?? {}
  return (
    <System name={name} is={of && isFailing(of) ? 'wrong' : sent_on === null ? 'none' : 'well'}>
      {t('systems.setUp')}{' '}
      {sent_on === null ? (
        t('systems.neverSent')
      ) : (
        <>
          {t('systems.sent')} <Time at={sent_on} />.
        </>
      )}
      {failed_on !== null && (
        <>
          {' '}
          {t('systems.failedLast')} <Time at={failed_on} />
          {error && (
            <>
              : <span lang="en">{error}</span>
            </>
          )}
        </>
      )}
    </System>
  )
}

function Work({ name, of }: { name: string; of: Status['jobs']['delivery'] }) {
  const { t } = useTranslation('home')
  if (!of)
    return (
      <System name={name} is="none">
        {t('systems.unknown')}
      </System>
    )
  const { waiting, active, delayed, failed } = of
  const open = waiting + active + delayed
  return (
    <System name={name} is={failed > 0 ? 'wrong' : 'well'}>
      {open === 0 ? t('systems.idle') : t('systems.open', { count: open })}
      {delayed > 0 && ` ${t('systems.delayed', { count: delayed })}`}
      {failed > 0 && ` ${t('systems.failed', { count: failed })}`}
    </System>
  )
}
