import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isStale } from '../portal/build.ts'

/**
 * Builds the portal when it is missing or its sources have changed, in a process of its own: this one would keep the
 * builder's memory. A build that fails leaves the service without a portal, or with the one before, and says so.
 */
export async function bringPortal(say: (line: string) => void): Promise<void> {
  if (!(await isStale())) return
  say('Building the portal: npm run build')
  const program = join(import.meta.dirname, '../portal/build.ts')
  const builder = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(builder, 'exit')
  if (code !== 0) say('The portal could not be built: see the lines above.')
}
