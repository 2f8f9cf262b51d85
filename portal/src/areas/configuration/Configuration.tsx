import './configuration.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { finder } from '../../parts/found.ts'
import { IconSearch } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { tidy } from '../../parts/SchemaField.tsx'
import type { Fault } from '../../parts/schema.ts'
import { faultOf } from '../../parts/schema.ts'
import { useKeep } from '../../parts/useKept.ts'
import { Filters } from './Filters.tsx'
import type { Draft, Setting } from './queries.ts'
import { settings } from './queries.ts'
import { SaveBar } from './SaveBar.tsx'
import { Section } from './Section.tsx'
import { inOrder } from './search.ts'
import { isSame } from './tree.ts'
import { useGoTo } from './useGoTo.ts'
import { useSettingWords } from './useSettingWords.ts'

/** What is wrong with a setting: by its schema, or in the words of the service. */
export type Wrong = Fault | { said: string }
type Search = { q?: string; section?: string; show?: typeof import('./search.ts').shown[number] }

/** Every setting, by sections; what is changed is saved together. */
export function Configuration() {
  const { t } = useTranslation('configuration')
  const search: Search = useSearch({ from: '/admin/configuration' })
  const look = useKeep<Search>({ resetScroll: true })
  const { data: all, error, refetch } = useQuery(settings)
  const [draft, setDraft] = useState<Draft>(new Map())
  const [wrong, setWrong] = useState<ReadonlyMap<string, Wrong>>(new Map())
  const goTo = useGoTo((path) =>
    look({ q: undefined, show: undefined, section: path.split('.')[0] as string }),
  )
  const change = (setting: Setting, value: unknown) => {
    const next = new Map(draft)
    const stays = setting.secret ? value === '' || value === undefined : isSame(tidy(value), setting.value)
    if (stays) next.delete(setting.path)
    else next.set(setting.path, value ?? '')
    setDraft(next)
    setWrong(without(wrong, setting.path))
  }
  const reset = (path: string, value?: null) => {
    const next = new Map(draft)
    if (value === null) next.set(path, null)
    else next.delete(path)
    setDraft(next)
    setWrong(without(wrong, path))
  }
  const point = (faults: ReadonlyMap<string, Wrong>) => {
    setWrong(faults)
    const [first] = faults.keys()
    if (first !== undefined) goTo(first)
  }
  const words = useSettingWords()
  const found = all?.filter((setting) => isShown(setting, search, words(setting).text))
  const section =
    search.q || search.show
      ? undefined
      : (search.section ?? inOrder(found?.map((setting) => setting.section) ?? [])[0])
  const listed = found?.filter((setting) => section === undefined || setting.section === section)
  const names = inOrder(listed?.map((setting) => setting.section) ?? [])
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <Filters all={all} search={search} section={section} draft={draft} onLook={look} />
      {error && !all && <Failed error={error} onRetry={refetch} />}
      {!error && !all && <Loading rows={4} height={120} />}
      {listed?.length === 0 && (
        <Empty icon={IconSearch} title={t('none.title')}>
          {t('none.text')}
        </Empty>
      )}
      {names.map((name) => (
        <Section
          key={name}
          name={name}
          settings={listed?.filter((setting) => setting.section === name) ?? []}
          {...{ draft, wrong }}
          onChange={change}
          onReset={reset}
        />
      ))}
      {all && draft.size > 0 && (
        <SaveBar
          {...{ all, draft }}
          faults={faultsOf(all, draft)}
          onPoint={point}
          onDone={() => {
            setDraft(new Map())
            setWrong(new Map())
          }}
        />
      )}
      <AsksToLeave when={draft.size > 0} onlyScreens>
        {t('changes.leave', { count: draft.size })}
      </AsksToLeave>
    </>
  )
}

function isShown(
  { path, environment, bootstrap, source }: Setting,
  { q, show }: Search,
  description: string,
): boolean {
  if (show === 'changeable' && bootstrap) return false
  if ((show === 'stored' || show === 'environment') && source !== show) return false
  return finder(q)(path, description, environment)
}

function faultsOf(all: Setting[], draft: Draft): Map<string, Wrong> {
  const faults = new Map<string, Wrong>()
  for (const { path, schema, secret } of all) {
    const value = draft.get(path)
    if (value === undefined || value === null || secret) continue
    const fault = faultOf(schema, tidy(value), schema.type !== 'string')
    if (fault) faults.set(path, fault)
  }
  return faults
}

function without(wrong: ReadonlyMap<string, Wrong>, path: string): ReadonlyMap<string, Wrong> {
  return new Map([...wrong].filter(([name]) => name !== path))
}
