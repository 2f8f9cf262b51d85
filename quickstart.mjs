// npm run quickstart: plain JavaScript, so that an older Node can start it too.
import module from 'node:module'
import { compileCache, onPinnedNode } from './quickstart/launch.mjs'

if (onPinnedNode(import.meta.url)) {
  module.enableCompileCache?.(compileCache)
  const { quickStart } = await import('./quickstart/main.ts')
  await quickStart()
}
