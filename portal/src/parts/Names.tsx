import './names.css'
import { Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { namesOf } from './names.ts'

const first = 12

/** Whom a change concerns, by name: the first of them, and all when asked for. */
export function Names({ dns }: { dns: readonly string[] }) {
  const { t } = useTranslation()
  const [all, showAll] = useState(false)
  const names = namesOf(dns)
  if (names.length === 0) return null
  const shown = all ? names : names.slice(0, first)
  return (
    <div className="names">
      <ul className="plain-list">
        {shown.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      {names.length > shown.length && (
        <Text component="button" type="button" size="sm" onClick={() => showAll(true)} className="names-more">
          {t('andMore', { count: names.length - shown.length })}
        </Text>
      )}
    </div>
  )
}
