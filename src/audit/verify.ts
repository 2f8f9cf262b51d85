/** npm run audit:verify: walks the chain over the audit log; ends with status 1 where something is wrong with it. */
import { readConfig } from '#src/config.ts'
import { connect } from '#src/connect.ts'

await using deps = await connect(readConfig(process.env))
const { from, seals, events, unsealed, newest, fault } = await deps.audit.seals.verify()
console.log(
  `${seals} seals from number ${from} on, over ${events} events, hold; ${unsealed} events are not sealed yet.`,
)
console.log(`The newest of them: ${newest || 'none'}`)
if (fault) {
  console.log(`WRONG: ${fault}.`)
  process.exitCode = 1
}
