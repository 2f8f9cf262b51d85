// npm test: brings what the tests need, checks the code, runs the tests, and ends with `N passed, N failed`.
// Test files given as arguments run alone, without the checks.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onPinnedNode } from '../quickstart/launch.mjs'

const project = fileURLToPath(new URL('..', import.meta.url))
const files = process.argv.slice(2)

if (onPinnedNode(import.meta.url)) {
  process.env.PATH = `${project}node_modules/.bin:${process.env.PATH}`
  // Some two hundred processes load the same modules: the compiled form is kept, half a second of CPU for each.
  process.env.NODE_COMPILE_CACHE ??= `${project}.data/compile-cache`
  await bringPrograms()
  const checked = files.length > 0 || (await runChecks())
  const { passed, failed } = await runTests()
  const allFailed = failed + (checked ? 0 : 1)
  console.log(`${passed} passed, ${allFailed} failed`)
  process.exitCode = allFailed === 0 && passed > 0 ? 0 : 1
}

/** slapd, Redis, a browser and what else the tests drive, before the tests: side by side they would all fetch them. */
async function bringPrograms() {
  const { findBinaries } = await import('../quickstart/binaries.ts')
  const { findApache, findAuthlib, findBrowser, findLdapTools, findNginx } = await import(
    './support/programs.ts'
  )
  try {
    await findBinaries(`${project}.data`, console.log)
    await findBrowser(console.log)
    await findApache(console.log)
    await findLdapTools(console.log)
    await findNginx(console.log)
    await findAuthlib(console.log)
  } catch (error) {
    console.error(error.message)
    console.log('0 passed, 1 failed')
    process.exit(1)
  }
}

async function runChecks() {
  const check = spawn('npm', ['run', '--silent', 'check'], { cwd: project, stdio: 'inherit' })
  const code = await new Promise((resolve) => check.on('close', resolve))
  console.log(code === 0 ? 'ok check' : 'FAILED check (npm run check; see above)')
  return code === 0
}

/** Prints one line per file, the whole TAP of a file that fails; answers tap's own counts. */
async function runTests() {
  const tap = spawn('tap', ['--reporter=tap', ...files], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => tap.kill(signal))
  const closed = new Promise((resolve) => tap.on('close', resolve))
  let passed = 0
  let failed = 0
  let ofFile = []
  for await (const line of createInterface({ input: tap.stdout })) {
    const counts = /^# \{ (total: .*) \}$/.exec(line)?.[1]
    const result = /^(ok|not ok) \d+ - (.*)$/.exec(line)
    if (counts) [passed, failed] = ['pass', 'fail'].map((name) => countOf(counts, name))
    else if (result?.[1] === 'ok') console.log(`ok ${result[2]}`)
    else if (result) console.log([...ofFile, `FAILED ${result[2]}`].join('\n'))
    ofFile = line.startsWith('# Subtest: ') ? [line] : [...ofFile, line]
  }
  const code = await closed
  // A run that ends badly has failed, whatever it counted.
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) }
}

function countOf(counts, name) {
  return Number(new RegExp(`\\b${name}: (\\d+)`).exec(counts)?.[1] ?? 0)
}
