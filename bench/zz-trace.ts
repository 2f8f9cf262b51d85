import { Redis } from 'ioredis'
import { openWorld } from './world.ts'
import { populate } from './warm.ts'
import { serviceWork } from './service.ts'
import { openConnection } from './http.ts'
const which = process.argv[2] ?? 'fullFlow'
await using world = await openWorld(() => {})
const persons = await populate(world)
const server = await world.startService()
const people: any = await (await import('./service.ts')).signPeopleIn
const url = world.redis.url
const service = serviceWork((persons as any).service ?? (persons as any))
const connection = await openConnection(server.port)
for (let i = 0; i < 3; i++) await (service as any)[which](connection, i)
const m = await new Redis(url).monitor()
const t0 = performance.now()
m.on('monitor', (_t: string, args: string[], source: string) => {
  console.log((performance.now()-t0).toFixed(1), source, args[0]==='lua'?'':'', args.map((a) => a.slice(0, 90).replace(/\n/g,' ')).join(' ').slice(0, 260))
})
const send = connection.send.bind(connection)
;(connection as any).send = async (x: string) => { console.log('>>>', x.split('\r\n')[0]); const r = await send(x); console.log('<<<', r.status); return r }
await (service as any)[which](connection, 5)
await new Promise((r) => setTimeout(r, 200))
m.disconnect(); connection.close(); await server.stop()
process.exit(0)
