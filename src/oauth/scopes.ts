import type { OurClient } from './clients.ts'

/**
 * Of the scopes asked for those that are registered, each once: the others are dropped, not refused. Without any the
 * client's own are meant (interface, Rules 2; contract section 9).
 */
export function narrowed(
  { allowed_scopes: registered }: Pick<OurClient, 'allowed_scopes'>,
  value: string | undefined,
): { scopes: string[]; dropped: string[] } {
  const asked = value?.split(' ').filter(Boolean) ?? registered.filter((scope) => scope !== 'offline_access')
  const [scopes, dropped] = [true, false].map((kept) =>
    [...new Set(asked)].filter((scope) => registered.includes(scope) === kept),
  ) as [string[], string[]]
  return { scopes, dropped }
}
