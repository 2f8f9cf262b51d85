import { openWorld } from './world.ts'
import { cpuOf } from './process.ts'
await using world = await openWorld(() => {})
const server = await world.startService()
await new Promise((r) => setTimeout(r, 4000))
const a = cpuOf(server.pid); await new Promise((r) => setTimeout(r, 6000)); const b = cpuOf(server.pid)
console.log('idle CPU ms per s', (b - a) / 6000)
await server.stop(); process.exit(0)
