import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { App } from '#src/http/app-type.ts'

const own = join(import.meta.dirname, '../../views/assets')

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
const mostLogoBytes = 262_144

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

declare module 'fastify' {
  interface FastifyInstance {
    pageAssets: ReturnType<typeof readAssets>
  }
}

/**
 * The files, and what pages link to: the hash of the content is in the name, so a browser asks once and never again.
 * `logo`: a file in place of our mark. Throws an Error naming the setting where that cannot be one.
 */
export function readAssets(logo: string) {
  const icon = logo === '' ? asset(join(own, 'mark.svg')) : operatorsLogo(logo)
  return {
    files: [...stylesheets, icon],
    urls: { stylesheets: stylesheets.map(({ url }) => url), icon: icon.url },
  }
}

function operatorsLogo(file: string) {
  if (!/\.(svg|png)$/.test(file)) throw new Error(`branding.logo: ${file} is no .svg or .png file`)
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (size === undefined) throw new Error(`branding.logo: there is no file ${file}`)
  if (size > mostLogoBytes)
    throw new Error(`branding.logo: ${file} is larger than ${mostLogoBytes / 1024} KB`)
  return asset(file)
}

/** A closed set of small files, held in memory and compressed once: no path of a request ever meets the disk. */
export async function assets(app: App): Promise<void> {
  for (const { url, type, plain, compressed } of app.pageAssets.files)
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
