// Fills the compile cache in a process of its own, so that the quick start never needs the memory for it.
import module from 'node:module'
import { compileCache } from './launch.mjs'

module.enableCompileCache(compileCache)
await import('./main.ts')
await import('#src/main.ts')
process.exit()
