import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import type { Program } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import type { Registered } from '#test/support/oauth.ts'

type Register = (fields: Record<string, unknown>) => Promise<Registered>
type Own = Program & { script: string }

/**
 * A relying party as a process of its own: a script beside this file that takes issuer, client_id, client_secret and
 * port, prints its address, and serves `/` (sign in), `/cb` and what its test knows of.
 */
export async function startParty(issuer: string, register: Register, own: Own, name = 'Relying party') {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const post_logout_redirect_uris = [`${base}/bye`]
  const client = await register({ name, redirect_uris: [`${base}/cb`], post_logout_redirect_uris })
  const { client_id, client_secret } = client
  const program = new URL(own.script, import.meta.url).pathname
  const child = spawn(own.path, [program, issuer, client_id, client_secret, String(port)], {
    env: { ...process.env, ...own.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const gone = ended.then(() => Promise.reject(new Error(`${own.script} ended before it served`)))
  gone.catch(() => {})
  const [url] = await Promise.race([line, gone])
  return {
    url,
    ...client,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** On the page that asks for it: signs in, and allows the application of this name. */
export async function signIn(
  page: Page,
  { uid, password }: { uid: string; password: string },
  application: string,
) {
  await page.locator('input[name=uid]').fill(uid)
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(application).first().waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
}

/** The JSON that a relying party shows at this address. */
export async function shownAt(page: Page, url: string): Promise<Record<string, unknown>> {
  await page.waitForURL((at) => at.href.startsWith(url))
  const text = (await page.locator('body').textContent()) ?? ''
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${page.url()} shows ${text}`)
  }
}
