/** What is wrong with an address that a plugin is to ask. */
export function addressFault(text: unknown): string | undefined {
  const url = URL.parse(String(text))
  const good = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  return good ? undefined : 'config.url must be an https or http address without user and password.'
}
