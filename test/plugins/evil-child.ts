import Type from 'typebox'
import { serve } from '#src/plugins/child.ts'
import type { RunContext } from '#src/plugins/type.ts'

/** What a plugin may do wrong. */
const deeds: Record<string, (context: RunContext) => Promise<void>> = {
  async nothing() {},
  async loop() {
    for (;;);
  },
  async crash() {
    process.abort()
  },
  async exit() {
    process.exit(0)
  },
  async heap() {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, n) => n))
  },
  async buffers() {
    const kept: Buffer[] = []
    for (;;) {
      kept.push(Buffer.alloc(2 ** 22, 1))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  },
  async sleep() {
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  },
  async flood({ log }) {
    for (let n = 0; n < 2000; n++) log(`line ${n} ${'x'.repeat(100)}`)
  },
  async tell({ log, secrets }) {
    log(`it is ${secrets.key}`)
    throw new Error(`refused with ${secrets.key}`)
  },
  async spy({ log }) {
    log(JSON.stringify({ env: process.env, argv: process.argv.slice(2) }))
  },
  async knock({ request }) {
    await request('http://127.0.0.1:1/')
  },
  async overreach({ putResources, log }) {
    await putResources('anything', []).catch((error) => log(error.message))
    process.send?.({ kind: 'call', number: 99, name: 'constructor', given: [] })
    await new Promise((resolve) => process.once('message', (answer) => resolve(log(JSON.stringify(answer)))))
  },
  async pester({ resourcesMade }) {
    for (;;) await Promise.all(Array.from({ length: 500 }, () => resourcesMade().catch(() => {})))
  },
  async storm({ request }) {
    await Promise.all(Array.from({ length: 5000 }, () => request('http://127.0.0.1:1/').catch(() => {})))
  },
}

serve((type) => {
  const run = deeds[type]
  if (!run) return undefined
  const named = { type, category: 'test', name: type, description: '', secrets: [] }
  return { ...named, configSchema: Type.Object({}), run }
})
