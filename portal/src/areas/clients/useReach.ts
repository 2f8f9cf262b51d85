import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { byName, nameOf } from '../../parts/names.ts'
import { effective } from './queries.ts'

/** A person who may use an application, and by which groups: each way from the allowed group down to the one that lists them. */
export type Reaches = { uid: string; ways: string[][] }

/** Who is in any of these groups, by username; `missing` are groups that the directory does not have. */
export function useReach(groups: readonly string[]) {
  const asked = useQueries({ queries: groups.map((group) => ({ ...effective(group), staleTime: 0 })) })
  const answers = asked.map(({ data }) => data)
  const isPending = asked.some(({ isPending }) => isPending)
  const error = asked.find((one) => one.error)?.error ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers are the same objects until they change
  const people = useMemo(() => merged(groups, answers), [...groups, ...answers])
  const missing = groups.filter((_, at) => answers[at] === null)
  const refetch = () => Promise.all(asked.map((one) => one.refetch()))
  return { people, missing, isPending, error, refetch }
}

type Answer = { effective: string[]; via?: Record<string, string[]> } | null | undefined

function merged(groups: readonly string[], answers: Answer[]): Reaches[] {
  const found = new Map<string, Reaches>()
  answers.forEach((answer, at) => {
    for (const dn of answer?.effective ?? []) {
      const key = dn.toLowerCase()
      const one = found.get(key) ?? { uid: nameOf(dn), ways: [] }
      one.ways.push(answer?.via?.[dn] ?? [groups[at] as string])
      found.set(key, one)
    }
  })
  return [...found.values()].sort((a, b) => byName(a.uid, b.uid))
}
