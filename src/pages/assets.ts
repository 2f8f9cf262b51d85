import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { App } from '#src/http/app-type.ts'

const own = join(import.meta.dirname, '../../views/assets')

const types: Record<string, string> = { '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' }

/** The files pages load, in the order they apply: the library from its package, then our own few rules. */
const stylesheets = [
  asset(createRequire(import.meta.url).resolve('@picocss/pico/css/pico.min.css')),
  asset(join(own, 'tokens.css')),
  asset(join(own, 'theme.css')),
  asset(join(own, 'latchkey.css')),
  asset(join(own, 'shapes.css')),
  asset(join(own, 'prose.css')),
  asset(join(own, 'api-docs.css')),
]
const icon = asset(join(own, 'mark.svg'))

/** What the layout links to. The hash of the content is in the name, so a browser asks once and never again. */
export const assetUrls = { stylesheets: stylesheets.map(({ url }) => url), icon: icon.url }

/** A closed set of small files, held in memory and compressed once: no path of a request ever meets the disk. */
export async function assets(app: App): Promise<void> {
  for (const { url, type, plain, compressed } of [...stylesheets, icon])
    app.get(url, async (request, reply) => {
      reply.headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
      if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return plain
      return reply.header('content-encoding', 'gzip').send(compressed)
    })
}

function asset(file: string) {
  const plain = readFileSync(file)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 12)
  return {
    url: `/assets/${hash}/${basename(file)}`,
    type: types[extname(file)] as string,
    plain,
    compressed: gzipSync(plain, { level: 9 }),
  }
}
