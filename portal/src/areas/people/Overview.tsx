import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time, wholeDate } from '../../parts/Time.tsx'
import { person, verification } from './queries.ts'
import { millisecondsOf } from './said.ts'

/** What the directory says of somebody, and what of it they have proven. */
export function Overview() {
  const { t, i18n } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  const one = useQuery(person(uid))
  const verified = useQuery(verification(uid))
  return (
    <div className="person-columns">
      <Panel title={t('profile.title')}>
        <Asked of={one}>
          {(who) => {
            const made = millisecondsOf(who.createTimestamp)
            const keys = who.sshPublicKey?.split('\n').filter(Boolean).length ?? 0
            return (
              <dl className="person-facts">
                <Fact label={t('profile.givenName')}>{who.givenName}</Fact>
                <Fact label={t('profile.sn')}>{who.sn}</Fact>
                <Fact label={t('profile.uid')}>{who.uid}</Fact>
                <Fact label={t('profile.mail')}>{who.mail}</Fact>
                <Fact label={t('profile.mobile')}>{who.mobile}</Fact>
                <Fact label={t('profile.dateOfBirth')}>
                  {who.dateOfBirth && dateOnly(who.dateOfBirth, i18n.language)}
                </Fact>
                <Fact label={t('profile.uidNumber')}>{who.uidNumber}</Fact>
                <Fact label={t('profile.keys')}>{keys > 0 ? keys : undefined}</Fact>
                <Fact label={t('profile.made')}>{made !== undefined && wholeDate(made, i18n.language)}</Fact>
                <Fact label={t('profile.dn')}>
                  <code>{who.dn}</code>
                </Fact>
              </dl>
            )
          }}
        </Asked>
      </Panel>
      <Panel title={t('verified.title')}>
        <Asked of={verified}>
          {(given) => (
            <dl className="person-facts">
              <Fact label={t('verified.mail')}>
                <Proven is={given.emailVerified} at={given.emailVerifiedAt} />
              </Fact>
              <Fact label={t('verified.mobile')}>
                <Proven is={given.phoneVerified} at={given.phoneVerifiedAt} />
              </Fact>
              <Fact label={t('verified.terms')}>
                <Proven is={given.tosAccepted} at={given.tosAcceptedAt} />
              </Fact>
            </dl>
          )}
        </Asked>
      </Panel>
    </div>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  const { t } = useTranslation('people')
  const isThere = children !== undefined && children !== '' && children !== false && children !== null
  return (
    <div>
      <dt>{label}</dt>
      <dd>{isThere ? children : <span className="person-none">{t('profile.none')}</span>}</dd>
    </div>
  )
}

function Proven({ is, at }: { is: boolean; at: number | null }) {
  const { t } = useTranslation('people')
  return (
    <>
      <Badge component="span" variant="light" color={is ? 'green' : 'gray'} tt="none">
        {t(is ? 'verified.yes' : 'verified.no')}
      </Badge>{' '}
      {at !== null && <Time at={at} />}
    </>
  )
}

/** A date without a time is the same everywhere. */
function dateOnly(date: string, language: string): string {
  const at = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(at)) return date
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}
