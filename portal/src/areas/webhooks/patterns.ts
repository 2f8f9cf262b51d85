import { actionNames, kindOf } from '../../parts/actions.ts'

/** Actions that one would choose together, and the patterns that name all of them. */
export type Kind = { name: string; actions: string[]; all: string[] }

/** What there is to be told of, under what it is about. */
export function kinds(wordOf: (action: string) => string): Kind[] {
  const found = new Map<string, string[]>()
  for (const action of actionNames()) {
    const name = wordOf(action)
    found.set(name, [...(found.get(name) ?? []), action])
  }
  return [...found].map(([name, actions]) => ({ name, actions, all: patternsOf(actions) }))
}

/** `user.*` for all that begins so; an action without a second part by its own name. */
function patternsOf(actions: string[]): string[] {
  return [...new Set(actions.map((action) => (action.includes('.') ? `${kindOf(action)}.*` : action)))]
}

/** Whether a pattern names an action, as the service reads it. */
export function matches(pattern: string, action: string): boolean {
  if (pattern === '*' || pattern === action) return true
  return pattern.endsWith('.*') && action.startsWith(pattern.slice(0, -1))
}

/** How many of the known actions some patterns name. */
export function countOf(patterns: readonly string[]): number {
  return actionNames().filter((action) => patterns.some((pattern) => matches(pattern, action))).length
}
