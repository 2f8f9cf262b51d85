import { Avatar, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconChevronRight, IconCode } from '../../parts/icons.tsx'
import { fold } from '../../parts/names.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import type { Recipe } from './recipes.ts'

/** The applications whose settings are known, and the way for every other one. */
export function ChooseRecipe({ recipes }: { recipes: readonly Recipe[] }) {
  const { t } = useTranslation('clients')
  const [q, search] = useState<string>()
  const shown = recipes.filter(({ name }) => fold(name).includes(fold(q ?? '')))
  return (
    <>
      <div className="client-find">
        <SearchField label={t('new.find')} value={q} onSearch={search} />
      </div>
      <ul className="plain-list client-recipes" aria-label={t('new.known')}>
        {shown.map(({ id, name, fields }) => (
          <li key={id} className="card client-recipe">
            <Avatar name={name.replace(/\(.*\)/, '')} color="brand" radius="md" size={40} aria-hidden />
            <div className="grows">
              <Link to="/admin/applications/new" search={{ recipe: id }}>
                {name}
              </Link>
              {fields.public && (
                <Text size="sm" c="dimmed">
                  {t('public')}
                </Text>
              )}
            </div>
            <IconChevronRight size={18} stroke={1.75} aria-hidden className="muted" />
          </li>
        ))}
        <li className="card client-recipe">
          <Avatar color="brand" radius="md" size={40} aria-hidden>
            <IconCode size={22} stroke={1.75} />
          </Avatar>
          <div className="grows">
            <Link to="/admin/applications/new" search={{ recipe: 'other' }}>
              {t('new.other')}
            </Link>
            <Text size="sm" c="dimmed">
              {t('new.otherHint')}
            </Text>
          </div>
          <IconChevronRight size={18} stroke={1.75} aria-hidden className="muted" />
        </li>
      </ul>
    </>
  )
}
