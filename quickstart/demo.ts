import { randomBytes } from 'node:crypto'
import { clients, givenNames, invited, organisation, surnames } from './demo-data.ts'
import { fillDirectory } from './demo-directory.ts'

type Person = { uid: string; givenName: string; sn: string; mail: string; mobile?: string; team: string }

/**
 * Fills an organisation of 200 people in 40 nested groups, with clients and pending invites, as an ordinary client of
 * the API would. What is there already stays as it is: a run that was interrupted is completed by the next.
 */
export async function fillDemo(
  url: string,
  administrator: { uid: string; password: string } | undefined,
  say: (line: string) => void,
): Promise<void> {
  const { body } = await send(url, 'POST', '/api/auth/login', administrator)
  if (!body.token)
    return say('\n  No demo: the password of the first administrator was changed or is not known.')
  const call = (method: string, path: string, content?: object) =>
    send(url, method, path, content, body.token)
  const { body: known } = await call('GET', '/api/oauth/client/')
  const missing = clients.filter(({ name }) => !known.results?.some((client) => client.name === name))
  if (missing.length === 0) return say('\n  Demo: filled already.')

  const began = Date.now()
  const password = randomBytes(9).toString('base64url')
  const people = inventPeople()
  await each(people, ({ team, ...person }) => call('POST', '/api/user/', { ...person, password }))
  await each(Object.entries(organisation), ([name, { description }]) =>
    call('POST', '/api/group/', { name, description }),
  )
  await each(people, ({ uid, team }) => call('PUT', `/api/group/${team}/${uid}`))
  for (const [name, { under }] of Object.entries(organisation))
    if (under) await call('PUT', `/api/group/${under}/nested/${name}`)
  // Whoever makes a group is its first member: the administrator leaves those that have others now.
  await each(Object.keys(organisation), (name) => call('DELETE', `/api/group/${name}/${administrator?.uid}`))
  await each(invited, (invite) => call('POST', '/api/user/invite', invite))
  await fillDirectory(call)
  // Last: they tell that nothing is left to do.
  await each(missing, (client) => call('POST', '/api/oauth/client/', client))

  const seconds = ((Date.now() - began) / 1_000).toFixed(1)
  say(`
  Demo: ${people.length} people in ${Object.keys(organisation).length} groups (${seconds} s).
  Sign in as ${people[0]?.uid}, password ${password}; all of them have this one.`)
}

type Answer = { status: number; body: { token?: string; results?: { name: string }[] } }

/** 404, 405 and 409 are answers too: a part that this service has not, or that was there before. */
async function send(
  url: string,
  method: string,
  path: string,
  content?: object,
  token?: string,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(content && { 'content-type': 'application/json' }),
      ...(token && { 'auth-token': token }),
    },
    ...(content && { body: JSON.stringify(content) }),
  })
  const text = await response.text()
  if (!response.ok && ![401, 404, 405, 409].includes(response.status))
    throw new Error(`The demo stopped: ${method} ${path} answered ${response.status} ${text}`)
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} }
}

/** A few at a time: the service checks and hashes one after the other anyway. */
async function each<T>(items: T[], work: (item: T) => Promise<Answer>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

/** Always the same 200: every given name with surnames that walk along. */
function inventPeople(): Person[] {
  const teams = Object.keys(organisation).filter(
    (name) => !Object.values(organisation).some(({ under }) => under === name),
  )
  return Array.from({ length: 200 }, (_, index) => {
    const givenName = givenNames[index % givenNames.length] as string
    const sn = surnames[(index * 7 + Math.floor(index / givenNames.length)) % surnames.length] as string
    const uid = `${plain(givenName)[0]}${plain(sn)}${Math.floor(index / givenNames.length) || ''}`
    const person = { uid, givenName, sn, mail: `${plain(givenName)}.${uid}@example.org` }
    const mobile = index % 3 === 0 ? { mobile: `+4930555${String(1000 + index)}` } : {}
    return { ...person, ...mobile, team: teams[index % teams.length] as string }
  })
}

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase()
}
