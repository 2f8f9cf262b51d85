/** npm run doctor -- [--json]: looks at a deployment from its settings (docs/operations.md). It leaves nothing behind. */
import { parseArgs } from 'node:util'
import { examine } from './examine.ts'
import { exitCodes, inWords } from './findings.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
const report = await examine(process.env)
console.log(values.json ? JSON.stringify(report, null, 2) : inWords(report.findings))
// Connections that are still being given up on keep nobody waiting.
process.exit(exitCodes[report.level])
