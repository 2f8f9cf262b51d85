/** npm run import: people and groups of an LDIF file, a CSV file or a running directory (docs/import.md). */
import { readConfig } from '#src/config.ts'
import { connect } from '#src/connect.ts'
import { readArguments, usage } from './arguments.ts'
import { passwordFor, runImport } from './run.ts'

try {
  const args = readArguments(process.argv.slice(2))
  const password = await passwordFor(args, process.env)
  const config = readConfig(process.env)
  config.log.level = 'error'
  await using deps = await connect(config)
  process.exitCode = await runImport(deps, args, password, console.log)
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}
