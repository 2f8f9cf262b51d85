// npm test: brings what the tests need, checks the code, runs the tests, and ends with `N passed, N failed`.
// Test files and folders given as arguments run alone, without the checks. `--faults` (npm run test:faults) runs the fault
// tests in place of the others, and prints what they measured; `--short` with it, no longer than it takes to feel each.
// `--cluster` runs what there is of Redis in the tests on a Redis Cluster of three primaries.
// Where COUNTS names a file, the counts go there: .ci/run ends with those of all its steps.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compileCache, onPinnedNode } from '../quickstart/launch.mjs'

const project = fileURLToPath(new URL('..', import.meta.url))
const faults = process.argv.includes('--faults')
const onCluster = process.argv.includes('--cluster')
const short = process.argv.includes('--short')
const args = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const suffix = faults ? '.fault.ts' : '.test.ts'
const timeoutSeconds = 300
const countsFile = process.env.COUNTS
// More than two cores' worth: half of a test is waiting, for a browser, a lock to run out, a pod that was killed. A fault
// test has a rig of many processes and looks at how soon they answer: one at a time.
const lanes = faults ? 1 : 4
const running = new Set()
const took = new Map()

if (onPinnedNode(import.meta.url)) {
  delete process.env.COUNTS
  process.env.PATH = `${project}node_modules/.bin:${process.env.PATH}`
  // Some two hundred processes load the same modules: the compiled form is kept, half a second of CPU for each.
  process.env.NODE_COMPILE_CACHE ??= compileCache
  if (onCluster) process.env.TEST_REDIS = 'cluster'
  const [checked] = await Promise.all([
    faults || onCluster || args.length > 0 || runChecks(),
    bringPrograms().then(bringPortal),
  ])
  const { clusterFiles, lotsOf, testFiles } = await import('./support/files.ts')
  const files = testFiles(suffix, args)
  const { passed, failed } = await runTests(lotsOf(onCluster ? clusterFiles(files) : files))
  console.log(`slowest: ${slowest(10)}`)
  const allFailed = failed + (checked ? 0 : 1)
  tell(passed, allFailed)
  process.exitCode = allFailed === 0 && passed > 0 ? 0 : 1
}

/** The last line. */
function tell(passed, failed) {
  const counts = `${passed} passed, ${failed} failed`
  if (countsFile) writeFileSync(countsFile, counts)
  else console.log(counts)
}

/** slapd, Redis, a browser and what else the tests drive, before the tests: side by side they would all fetch them. */
async function bringPrograms() {
  const { findBinaries } = await import('../quickstart/binaries.ts')
  const { clockOff, findApache, findAuthlib, findBrowser, findLdapTools, findNginx } = await import(
    './support/programs.ts'
  )
  try {
    await findBinaries(`${project}.data`, console.log)
    await findBrowser(console.log)
    await findApache(console.log)
    await findLdapTools(console.log)
    await findNginx(console.log)
    await findAuthlib(console.log)
    if (faults) await clockOff(0, console.log)
  } catch (error) {
    console.error(error.message)
    tell(0, 1)
    process.exit(1)
  }
}

/** The portal as the service serves it, built once for all tests, and the types that its client is checked with. */
async function bringPortal() {
  const { bringPortal } = await import('../quickstart/portal.ts')
  const { writeTypes } = await import('../portal/types.ts')
  await Promise.all([bringPortal(console.log), writeTypes()])
}

async function runChecks() {
  const check = spawn('npm', ['run', '--silent', 'check'], { cwd: project, stdio: 'inherit' })
  const code = await new Promise((resolve) => check.on('close', resolve))
  console.log(code === 0 ? 'ok check' : 'FAILED check (npm run check; see above)')
  return code === 0
}

/**
 * Each lot by a Node of its own (test/together.ts), some side by side. tap's own runner would put its hooks before every
 * import of every process, for mocks, coverage and source maps that nothing here asks for: a second of CPU for each.
 */
async function runTests(waiting) {
  const sum = { passed: 0, failed: 0 }
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      waiting.length = 0
      for (const test of running) test.kill(signal)
    })
  const lane = async () => {
    for (let files = waiting.shift(); files; files = waiting.shift()) {
      const { passed, failed } = await runLot(files)
      sum.passed += passed
      sum.failed += failed
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return sum
}

/** Prints one line for each file, the TAP of those that fail; answers tap's counts. */
async function runLot(files) {
  const test = spawn(process.execPath, ['test/together.ts', ...files], {
    cwd: project,
    env: { ...process.env, TAP_TIMEOUT: String(timeoutSeconds), ...(short ? { FAULTS: 'short' } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(test)
  // tap ends a test that takes too long and says where it hung; who does not even hear tap is ended a little later.
  const end = setTimeout(() => test.kill('SIGKILL'), (timeoutSeconds * files.length + 20) * 1000)
  const [output, code] = await Promise.all([
    text(test.stdout),
    new Promise((resolve) => test.on('close', (code, signal) => resolve(signal ?? code))),
  ])
  clearTimeout(end)
  running.delete(test)
  const counts = output.match(/^# \{ total: .* \}$/gm)?.at(-1) ?? ''
  const [passed, failed] = ['pass', 'fail'].map((name) => countOf(counts, name))
  const parts = files.map((file) => partOf(output, file))
  const ok = code === 0 && failed === 0 && parts.every(({ passes }) => passes)
  const toShow = parts.filter(({ passes }) => !passes).map(({ tap }) => tap)
  if (!ok) console.log(toShow.join('') || output)
  for (const { file, tap, passes, seconds } of parts) {
    took.set(file, seconds)
    console.log(`${passes ? 'ok' : 'FAILED'} ${file} (${seconds.toFixed(1)} s)`)
    if (faults && passes) console.log(said(tap))
  }
  if (!ok) console.log(`FAILED, ended with ${code}: node test/together.ts ${files.join(' ')}`)
  // A lot that ends badly has failed, whatever it counted.
  return { passed, failed: ok ? 0 : Math.max(failed, 1) }
}

/** What tap says of one file. A file that tests nothing does not pass. */
function partOf(output, file) {
  const tap =
    output.split(/^(?=# Subtest: )/m).findLast((part) => part.startsWith(`# Subtest: ${file}\n`)) ?? ''
  const seconds = Number(/^(?:not )?ok \d+ - .* # time=(.*)ms$/m.exec(tap)?.[1] ?? 0) / 1000
  return { file, tap, seconds, passes: /^ok /m.test(tap) && /^ {4}ok /m.test(tap) }
}

/** The names of the tests and their comments. */
function said(output) {
  const lines = output.split('\n').filter((line) => /^ *# (?!time=|\{ total)/.test(line))
  return lines.map((line) => line.replace(/^( *)# (Subtest: )?/, (_, indent) => indent)).join('\n')
}

function slowest(count) {
  const files = [...took].sort(([, a], [, b]) => b - a).slice(0, count)
  return files.map(([file, seconds]) => `${file} ${Math.round(seconds)} s`).join(', ')
}

function countOf(counts, name) {
  return Number(new RegExp(`\\b${name}: (\\d+)`).exec(counts)?.[1] ?? 0)
}
