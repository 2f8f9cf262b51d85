import { fileURLToPath } from 'node:url'
import { runApart } from '#src/plugins/isolation.ts'

const order = { type: 'loop', config: {}, secrets: {}, milliseconds: 60_000, megabytes: 64 }
void runApart(order, {} as never, fileURLToPath(new URL('evil-child.ts', import.meta.url)))
console.log('begun')
