import { once } from 'node:events'
import { buildApp } from './app.ts'
import { startSealing } from './audit/sealing.ts'
import { readConfig } from './config.ts'
import { connect } from './connect.ts'
import { startDelivery } from './delivery/work.ts'
import { prepareDirectory } from './first-start.ts'
import { leave } from './http/leaving.ts'
import { startRuns } from './plugins/runs.ts'
import type { Config } from './settings.ts'
import { startWebhooks } from './webhook/reader.ts'

/**
 * Boot: connect, prepare the directory, build, listen. Disposing the answer drains requests and jobs, then closes what
 * is behind. `firstAdmin` is there when this start made the first administrator: its password is shown once, by whoever
 * started the service, and never again.
 */
export async function startService(config: Config) {
  await using opened = new AsyncDisposableStack()
  const deps = opened.use(await connect(config))
  const firstAdmin = await prepareDirectory(deps)
  opened.use(startDelivery(deps))
  opened.use(startSealing(deps))
  opened.use(startWebhooks(deps))
  opened.use(startRuns(deps))
  const app = opened.use(await buildApp(deps))
  const url = await app.listen(config.listen)
  deps.background.run('looking ahead', () => deps.users.lookAhead())
  const closing = opened.move()
  return {
    ...{ url, firstAdmin, deps },
    /** Until nobody asks any more: for a process that was told to end, before it is disposed. */
    leave: () => leave(app, deps),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

if (import.meta.main) {
  await using service = await startService(readConfig(process.env))
  const { firstAdmin } = service
  if (firstAdmin)
    console.log(`First administrator: ${firstAdmin.uid}, password (shown once): ${firstAdmin.password}`)
  const interrupted = once(process, 'SIGINT')
  await Promise.race([once(process, 'SIGTERM').then(service.leave), interrupted])
}
