import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-logo-'))
tap.teardown(() => rm(dir, { recursive: true, force: true }))

test('branding.logo is the picture of every page, the portal’s too; what cannot be one ends the start', async (t) => {
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const logo = join(dir, 'ours.png')
  await writeFile(logo, picture)
  await using service = await startTestService({ app_branding__logo: logo, app_onboarding__needs: '' })
  const token = await service.login(service.admin.uid, service.admin.password)
  for (const page of [
    await service.request('GET', '/login'),
    await service.request('GET', '/', { headers: { cookie: `latchkey=${token}` } }),
  ]) {
    const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(page.text) ?? []
    t.match(icon, /^\/assets\/[\w-]{12}\/ours\.png$/)
    const answer = await fetch(new URL(icon, service.url))
    t.equal(answer.headers.get('content-type'), 'image/png')
    t.same(Buffer.from(await answer.arrayBuffer()), picture)
  }
  await writeFile(join(dir, 'large.svg'), 'x'.repeat(262_145))
  for (const [wrong, why] of [
    [join(dir, 'nowhere.svg'), /branding\.logo: there is no file/],
    [join(dir, 'ours.gif'), /branding\.logo: .* is no \.svg or \.png/],
    [join(dir, 'large.svg'), /branding\.logo: .* is larger than 256 KB/],
  ] as const)
    await t.rejects(startTestService({ app_branding__logo: wrong }), why)
})
