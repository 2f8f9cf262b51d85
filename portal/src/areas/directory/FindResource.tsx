import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focused } from '../../parts/focused.ts'
import { IconSearch } from '../../parts/icons.tsx'
import { kindIcons } from './kinds.ts'
import type { Kind } from './search.ts'
import type { Tree } from './tree.ts'
import { foundIn, wayTo } from './tree.ts'

type Props = {
  tree: Tree
  kinds: readonly Kind[]
  /** Those that cannot be chosen. */
  except: readonly string[]
  onChoose: (id: string) => void
}
const shown = 7

/** Finds a resource of some kinds by name. */
export function FindResource({ tree, kinds, except, onChoose }: Props) {
  const { t } = useTranslation('directory')
  const [q, search] = useState('')
  const found = kinds
    .flatMap((kind) => foundIn(tree, q, kind))
    .flatMap(({ id }) => tree.all.get(id) ?? [])
    .filter(({ id }) => !except.includes(id))
  return (
    <>
      <TextInput
        ref={focused}
        type="search"
        label={t('find.label')}
        description={t('find.kinds', { kinds: kinds.map((kind) => t(`kinds.${kind}`)).join(', ') })}
        value={q}
        onChange={(event) => search(event.currentTarget.value)}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className="directory-found" aria-live="polite">
        {found.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('unfound')}
          </Text>
        )}
        <ul className="plain-list rows">
          {found.slice(0, shown).map((one) => {
            const Icon = kindIcons[one.kind]
            return (
              <li key={one.id} className="directory-row">
                <Icon size={20} stroke={1.75} aria-hidden className="muted" />
                <div className="grows">
                  <Text component="div" fw={600} c="bright" truncate>
                    <bdi>{one.name}</bdi>
                  </Text>
                  <Text component="div" size="sm" c="dimmed" truncate>
                    {wayTo(tree, one.id)
                      .map(({ name }) => name)
                      .join(' › ')}
                  </Text>
                </div>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('find.chooseOf', { name: one.name })}
                  onClick={() => onChoose(one.id)}
                >
                  {t('find.choose')}
                </Button>
              </li>
            )
          })}
        </ul>
        {found.length > shown && (
          <Text size="sm" c="dimmed">
            {t('find.more', { count: found.length - shown })}
          </Text>
        )}
      </div>
    </>
  )
}
