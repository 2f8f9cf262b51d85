/** Everybody at once and in pages: time beside ldapsearch, memory beside the idle service, pages beside a small directory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { findLdapTools } from '#test/support/programs.ts'
import { expectStatus, openConnection, request } from '../http.ts'
import { median } from '../load.ts'
import type { Memory } from '../process.ts'
import { memoryOf } from '../process.ts'
import type { Server, World } from '../world.ts'
import { signIn } from './lookups.ts'

/** `seconds`: of the service and of ldapsearch; `extra`: MiB above what the service stood at before, at its highest. */
export type ListLine = {
  what: string
  megabytes: number
  seconds: number
  ldapsearch: number
  ratio: number
  extra: Memory
}
export type PageLine = { what: string; small: number; large: number; ratio: number }

const lists = {
  'GET /api/user/': { path: '/api/user/', attributes: ['uid', 'mail', 'givenName', 'sn'] },
  'GET /api/user/export': {
    path: '/api/user/export',
    attributes: [
      ...['uid', 'givenName', 'sn', 'mail', 'mobile', 'uidNumber', 'createTimestamp'],
      ...['pwdAccountLockedTime', 'pwdEndTime'],
    ],
  },
}
const sampleMilliseconds = 25
const settleMilliseconds = 1500
/** Pages asked for in a round, each the one after the page before. */
const pages = 10

type Rounds = { rounds: number; say(line: string): void }

/** In turns, so that noise hits both. The first round counts for memory only: V8 compiles what the others run. */
export async function measureLists(
  world: World,
  service: Server,
  { rounds, say }: Rounds,
): Promise<ListLine[]> {
  const token = await adminToken(world, service)
  const lines: ListLine[] = []
  for (const [what, { path, attributes }] of Object.entries(lists)) {
    const times: { own: number; ldapsearch: number }[] = []
    const extra = { pss: 0, rss: 0 }
    let bytes = 0
    for (let round = 0; round <= rounds; round++) {
      say(`Round ${round} of ${rounds}: ${what}`)
      const ldapsearch = await ldapsearchSeconds(world, attributes)
      await pause(settleMilliseconds)
      const read = await watched(service, () => download(service.port, path, token))
      bytes = read.answer.bytes
      extra.pss = Math.max(extra.pss, read.extra.pss)
      extra.rss = Math.max(extra.rss, read.extra.rss)
      if (round > 0) times.push({ own: read.answer.seconds, ldapsearch })
    }
    lines.push({
      ...{ what, extra, megabytes: bytes / 1e6 },
      seconds: median(times.map(({ own }) => own)),
      ldapsearch: median(times.map(({ ldapsearch }) => ldapsearch)),
      ratio: median(times.map(({ own, ldapsearch }) => own / ldapsearch)),
    })
  }
  return lines
}

type Place = { world: World; service: Server }

/** Pages of 100 by number, in turns at two services: the first ever, and then one after the other. */
export async function measurePages(small: Place, large: Place, { rounds, say }: Rounds): Promise<PageLine[]> {
  const readers = await Promise.all([small, large].map(pageReader))
  say('Pages by number')
  const first = await inTurns(readers.map(({ first }) => first))
  const ratios: number[] = []
  const times: number[][] = []
  for (let round = 0; round <= rounds; round++) {
    const of: number[][] = [[], []]
    for (let page = 0; page < pages; page++) {
      const turn = await inTurns(readers.map(({ next }) => next))
      for (const [at, milliseconds] of turn.entries()) of[at]?.push(milliseconds)
    }
    if (round === 0) continue
    times.push(of.map(median))
    ratios.push(median(of[1] as number[]) / median(of[0] as number[]))
  }
  for (const { close } of readers) close()
  const [a = 0, b = 0] = first
  const at = (place: number) => median(times.map((time) => time[place] as number))
  return [
    { what: 'the very first page after a start', small: a, large: b, ratio: b / a },
    { what: 'any other', small: at(0), large: at(1), ratio: median(ratios) },
  ]
}

async function inTurns(reads: (() => Promise<number>)[]): Promise<number[]> {
  const times: number[] = []
  for (const read of reads) times.push(await read())
  return times
}

async function pageReader({ world, service }: Place) {
  const token = await adminToken(world, service)
  const connection = await openConnection(service.port)
  let cursor: string | undefined
  let turn = 0
  async function read(path: string): Promise<number> {
    const start = performance.now()
    const reply = expectStatus(
      await connection.send(request('GET', path, { 'auth-token': token })),
      200,
      path,
    )
    const took = performance.now() - start
    const { results, next } = JSON.parse(reply.body)
    if (results.length !== 100) throw new Error(`A page of ${results.length}`)
    cursor = next
    return took
  }
  const path = '/api/user/?limit=100&sort=uidNumber'
  return {
    first: () => read(path),
    /** The small directory ends sooner than the large one: then from the beginning. */
    next: () => read(cursor && turn++ % (pages - 1) ? `${path}&cursor=${encodeURIComponent(cursor)}` : path),
    close: connection.close,
  }
}

async function adminToken(world: World, service: Server): Promise<string> {
  const connection = await openConnection(service.port)
  const token = await signIn(connection, 'admin', await world.adminPassword())
  connection.close()
  return token
}

/** Reads and forgets. */
async function download(port: number, path: string, token: string) {
  const start = performance.now()
  const asked = get({ host: '127.0.0.1', port, path, headers: { 'auth-token': token }, agent: false })
  const [response] = await once(asked, 'response')
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(response, 'end')
  if (response.statusCode !== 200 || bytes < 1000)
    throw new Error(`${path}: ${response.statusCode}, ${bytes} bytes`)
  return { bytes, seconds: (performance.now() - start) / 1000 }
}

async function watched<T>({ pid }: Server, act: () => Promise<T>): Promise<{ answer: T; extra: Memory }> {
  const before = memoryOf(pid)
  const extra = { pss: 0, rss: 0 }
  const look = () => {
    const { pss, rss } = memoryOf(pid)
    extra.pss = Math.max(extra.pss, pss - before.pss)
    extra.rss = Math.max(extra.rss, rss - before.rss)
  }
  const watch = setInterval(look, sampleMilliseconds)
  try {
    const answer = await act()
    look()
    return { answer, extra }
  } finally {
    clearInterval(watch)
  }
}

/** The same people and attributes, read in the pages that the service reads, thrown away. */
async function ldapsearchSeconds({ slapd }: World, attributes: string[]): Promise<number> {
  const { folder, env } = await findLdapTools()
  const start = performance.now()
  const child = spawn(
    join(folder, 'ldapsearch'),
    [
      ...['-x', '-LLL', '-H', slapd.url, '-D', slapd.bindDN, '-w', slapd.bindPassword],
      ...['-E', 'pr=500/noprompt', '-b', `ou=people,${slapd.base}`, '(objectClass=inetOrgPerson)'],
      ...attributes,
    ],
    { env: { ...process.env, ...env }, stdio: 'ignore' },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`ldapsearch ended with ${code}`)
  return (performance.now() - start) / 1000
}
