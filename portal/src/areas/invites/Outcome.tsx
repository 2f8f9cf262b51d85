import { Alert, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { useSaid } from '../../parts/useSaid.ts'
import type { Sent } from './useSending.ts'

/** What came of many invites: who could not be invited and why, and whose link has to be handed on. */
export function Outcome({ of: { sent, unmailed, failed } }: { of: Sent }) {
  const { t } = useTranslation(['invites', 'app'])
  const said = useSaid()
  const here = useRef<HTMLDivElement>(null)
  // The button that was pressed is at the other end of the dialog.
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div role="status" ref={here}>
      {sent.length > 0 && (
        <Text size="sm" mb="xs">
          {t('outcome.sent', { count: sent.length })}
        </Text>
      )}
      {failed.length > 0 && (
        <Alert
          color="red"
          mb="xs"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('outcome.failed', { count: failed.length })}
        >
          {t('outcome.tryAgain')}
          <ul className="plain-list invites-reasons">
            {failed.map(({ mail, error }) => {
              const { sentence, requestId } = said(error)
              return (
                <li key={mail}>
                  <bdi>{mail}</bdi> – {sentence}{' '}
                  {requestId && (
                    <>
                      {t('app:request')} <span className="request-id">{requestId}</span>
                    </>
                  )}
                </li>
              )
            })}
          </ul>
        </Alert>
      )}
      {unmailed.length > 0 && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('outcome.unmailed', { count: unmailed.length })}
        >
          {t('outcome.handOn')}
          <ul className="plain-list invites-reasons">
            {unmailed.map(({ mail, link }) => (
              <li key={mail}>
                <CopyField label={t('linkOf', { name: mail })} value={link} />
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  )
}
