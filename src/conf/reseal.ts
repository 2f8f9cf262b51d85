/**
 * npm run reseal: moves all that is sealed to the key of the environment as it is now: `app_seal__key`, or where that is
 * empty the signing secret. `RESEAL_FROM` is the key it lies under, unless that is the signing secret, which stays. Looks at
 * everything before it writes anything, and can be run again after an interruption. The pods are stopped meanwhile.
 */
import { readConfig } from '#src/config.ts'
import { connectStore } from '#src/connect.ts'
import { openLog } from '#src/log.ts'

const config = readConfig(process.env)
await using store = await connectStore(config, openLog({ log: { level: 'error' } }))
const before = await store.keys.sealingFrom(process.env.RESEAL_FROM ?? config.oauth.jwtSecret)
const faults: string[] = []
const pods = (await store.bus.listeners()) - 1
if (pods > 0) faults.push(`${pods} of its pods run: stop them first`)

const looked = []
for (const sealed of store.sealed) {
  const { old, unreadable } = await sealed.look(before)
  faults.push(...unreadable.map((name) => `${name}: opens neither with the old key nor with the new one`))
  looked.push({ ...sealed, old })
}
if (faults.length > 0) {
  console.log(`Nothing was moved:\n  ${faults.join('\n  ')}`)
  process.exitCode = 1
} else
  for (const { what, old, move } of looked) {
    await move(before)
    console.log(`${what}: ${old} moved`)
  }
