/**
 * Where to go after signing in: a path of our own, or `/`. The browser reads backslashes, tabs and doubled slashes
 * its own way, so what leaves is what the URL parser understood, and only if that is still a path of ours.
 */
export function ownPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted) || wanted.length > 2048) return '/'
  const base = 'https://own.invalid'
  if (!URL.canParse(wanted, base)) return '/'
  const { origin, pathname, search, hash } = new URL(wanted, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
