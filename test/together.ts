// Test files one after another in one process: `node test/together.ts test/user/list.test.ts test/user/read.test.ts`. Each
// has servers and a service of its own as ever. What they share is the code, loaded and optimized, which takes more CPU
// than most files do with it. A file is a subtest, and what it and its support import from `tap` is that subtest's.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import tap from 'tap'

let current: Test = tap
let test = tap.test

export { current as default, test }

const here = import.meta.url
const tests = new URL('.', here).href
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    const asksForTap = specifier === 'tap' && parentURL !== here && parentURL.startsWith(tests)
    return asksForTap ? { url: here, shortCircuit: true } : next(specifier, context)
  },
})

const files = process.argv.slice(2)
const timeout = Number(process.env.TAP_TIMEOUT ?? 150) * 1000
tap.setTimeout(timeout * files.length)
for (const file of files)
  tap.test(file, { timeout }, async (t) => {
    current = t
    test = t.test
    await import(pathToFileURL(file).href)
  })
