import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import leftOut from './cluster-left-out.json' with { type: 'json' }
import { clusterFiles, startsRedis, testFiles } from './support/files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('no file is over 250 lines', (t) => {
  const written = /\.(tsx?|mjs|eta|css|ldif|ya?ml)$|Dockerfile$/
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const long = files
    .filter((file) => written.test(file))
    .filter((file) => readFileSync(root + file, 'utf8').split('\n').length > 251)
  t.same(long, [])
  t.end()
})

test('what the runner begins with is there', (t) => {
  const longest: string[] = JSON.parse(readFileSync(`${root}test/longest.json`, 'utf8'))
  t.same(
    longest.filter((file) => !existsSync(root + file)),
    [],
  )
  t.end()
})

test('the run on a Redis Cluster leaves out what test/cluster-left-out.json gives a reason for, and nothing else that starts a Redis', (t) => {
  const all = testFiles('.test.ts')
  const named = Object.values(leftOut).flat()
  t.same(named, [...new Set(named)], 'each for one reason')
  const would = all.filter(startsRedis)
  t.same(
    named.filter(
      (name) => !would.some((file) => file === name || (name.endsWith('/') && file.startsWith(name))),
    ),
    [],
    'each is there, and would be run',
  )
  const run = clusterFiles(all)
  // Of those that start none, none speaks of a service or a Redis at all.
  const others = all.filter((file) => !would.includes(file))
  t.same(
    others.filter((file) =>
      /startTestServ\w+\(|testRedis\(|app_redis__\w+:/.test(readFileSync(root + file, 'utf8')),
    ),
    [],
  )
  t.ok(run.includes('test/auth/session.test.ts') && run.length > 100)
  t.end()
})
