import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))

test('no file is over 250 lines', (t) => {
  const written = /\.(ts|mjs|eta|css|ldif|ya?ml)$|Dockerfile$/
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
