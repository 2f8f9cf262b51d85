// Plain JavaScript: an older Node (20) starts it. It brings the packages and the pinned Node, then the rest is TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('..', import.meta.url))
/** What V8 made of the sources, types stripped: the next start reads it instead of loading the stripper (40 MB). */
export const compileCache = `${project}node_modules/.cache/latchkey`
const pinnedNode = `${project}node_modules/node/bin/node`

/**
 * Installs packages when missing or stale, then makes sure of the Node that runs TypeScript: true when this process
 * is one; otherwise the same program runs as a child of the pinned Node, this process passes its signals on and ends as
 * it ends, and the answer is false.
 *
 * @param {string} url import.meta.url of the program
 */
export function onPinnedNode(url) {
  installPackages()
  if (Number(process.versions.node.split('.')[0]) >= 24) return true
  const child = spawn(pinnedNode, [fileURLToPath(url), ...process.argv.slice(2)], {
    // Through the channel it notices when this process is killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
  return false
}

/** Runs npm when the packages are missing or stale, and has the code compiled once. */
export function installPackages() {
  if (isInstalled()) return
  console.log('Installing packages: npm ci')
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: project,
      stdio: 'inherit',
    },
  )
  if (status === 0 && isInstalled()) {
    spawnSync(pinnedNode, [`${project}quickstart/warm.mjs`], { stdio: 'ignore' })
    return
  }
  console.error(`Installing packages failed${error ? `: ${error.message}` : ''}. See the lines of npm above.`)
  process.exit(1)
}

/** npm notes what it installed in node_modules: fresh when that is what package-lock.json asks for. */
function isInstalled() {
  if (!existsSync(pinnedNode)) return false
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(packagesIn)
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === '' || optional || link || installed[path]?.version === version,
  )
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(project + file, 'utf8')).packages
  } catch {
    return {}
  }
}
