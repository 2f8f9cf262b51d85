import { Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconCircleCheck, IconCircleX } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import type { Client } from './types.ts'
import type { Difference, Fault, Verdict } from './why.ts'
import { explain } from './why.ts'

/** Says of a URL which registered one lets it in, or why none does; decided by the service's own matcher. */
export function RedirectTester({ client }: { client: Client }) {
  const { t } = useTranslation('clients')
  const [typed, type] = useState('')
  const uri = typed.trim()
  const verdict = uri && explain(client.redirect_uris, uri, { anyLoopbackPort: client.public })
  return (
    <Panel title={t('redirect.title')} lead={t('redirect.lead')}>
      <TextInput
        label={t('redirect.url')}
        description={t('redirect.hint')}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        placeholder={client.redirect_uris[0]}
        className="client-uris"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <div aria-live="polite" className="client-verdict">
        {verdict && <Said verdict={verdict} none={client.redirect_uris.length === 0} />}
      </div>
    </Panel>
  )
}

function Said({ verdict: { by, fault, misses }, none }: { verdict: Verdict; none: boolean }) {
  const { t } = useTranslation('clients')
  if (by)
    return (
      <Alert color="green" icon={<IconCircleCheck aria-hidden />} title={t('redirect.matches')}>
        {t(`redirect.by.${by.how}`)} <code>{by.uri}</code>
      </Alert>
    )
  return (
    <>
      <Alert color="red" icon={<IconCircleX aria-hidden />} title={t('redirect.refused')}>
        {fault ? <Faulty fault={fault} /> : t(none ? 'redirect.none' : 'redirect.nothing')}
      </Alert>
      {misses.length > 0 && (
        <ul className="plain-list client-misses" aria-label={t('redirect.misses')}>
          {misses.map(({ uri, differences }) => (
            <li key={uri}>
              <code>{uri}</code>
              {differences.length === 0 ? (
                <p className="client-plain">{t('redirect.onlyFault')}</p>
              ) : (
                <ul>
                  {differences.map((difference) => (
                    <Why key={difference.part} difference={difference} />
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Faulty({ fault }: { fault: Fault }) {
  const { t } = useTranslation('clients')
  if (fault.name !== 'spelling') return t(`redirect.faults.${fault.name}`)
  return (
    <>
      {t('redirect.faults.spelling')} <code>{fault.better}</code>
    </>
  )
}

function Why({ difference: { part, wanted, given, hint } }: { difference: Difference }) {
  const { t } = useTranslation('clients')
  const shown = (text: string) => text || t('redirect.empty')
  return (
    <li>
      <strong>{t(`redirect.parts.${part}`)}</strong>{' '}
      {t('redirect.differs', { wanted: shown(wanted), given: shown(given) })}
      {hint && ` ${t(`redirect.hints.${hint}`)}`}
    </li>
  )
}
