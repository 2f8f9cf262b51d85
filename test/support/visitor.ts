import type { TestService } from './service.ts'

/** A browser without scripts: it keeps cookies by path and posts forms. */
export function visitor({ request, url }: Pick<TestService, 'request' | 'url'>, address = '192.0.2.1') {
  const jar = new Map<string, { value: string; path: string }>()
  async function go(
    method: 'GET' | 'POST',
    path: string,
    fields?: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const { pathname } = new URL(path, url)
    const cookie = [...jar]
      .filter(([, { path: at }]) => pathname.startsWith(at))
      .map(([name, { value }]) => `${name.split('@')[0]}=${value}`)
      .join('; ')
    const answer = await request(method, path, {
      address,
      headers: {
        ...{ accept: 'text/html', cookie },
        ...(method === 'POST'
          ? {
              'content-type': 'application/x-www-form-urlencoded',
              origin: url,
              'sec-fetch-site': 'same-origin',
            }
          : {}),
        ...headers,
      },
      ...(fields ? { body: new URLSearchParams(fields).toString() } : {}),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = '', value = ''] = pair.split('=')
      const at = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
      if (value === '' || attributes.some((each) => /1970/.test(each))) jar.delete(`${name}@${at}`)
      else jar.set(`${name}@${at}`, { value, path: at })
    }
    return answer
  }
  const session = () => jar.get('latchkey@/')?.value
  const locationOf = (answer: { headers: Headers }) => String(answer.headers.get('location')).replace(url, '')
  return { go, jar, session, locationOf }
}
