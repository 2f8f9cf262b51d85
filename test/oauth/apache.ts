import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentedBlock } from '#test/support/apps.ts'
import type { Registered } from '#test/support/oauth.ts'
import { findApache } from '#test/support/programs.ts'
import { answers } from '#test/support/reachable.ts'

/**
 * A private httpd on loopback whose `/secure/` is guarded by mod_auth_openidc, and that says whom it let in. `more` are
 * lines for its configuration; the others are those of docs/apps.md.
 */
export async function startApache(
  issuer: string,
  port: number,
  { client_id, client_secret }: Registered,
  { group = 'webmasters', more = '' } = {},
) {
  const { path, env, modules } = await findApache()
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-apache-'))
  await chmod(dir, 0o755)
  await mkdir(join(dir, 'htdocs/secure'), { recursive: true })
  await writeFile(
    join(dir, 'htdocs/secure/index.html'),
    '<!doctype html><title>Secure</title><h1>Guarded page</h1>',
  )
  const url = `http://127.0.0.1:${port}`
  const directives = (await documentedBlock('Apache mod_auth_openidc', 'apache'))
    .replaceAll('https://sso.example.org', issuer)
    .replaceAll('https://intranet.example.org', url)
    .replace('<client_id>', client_id)
    .replace('<client_secret>', client_secret)
    .replace('<a long random text of your own>', randomBytes(24).toString('hex'))
    .replace('groups:webmasters', `groups:${group}`)
  const names = [
    'mpm_event',
    'authn_core',
    'authz_core',
    'authz_user',
    'dir',
    'mime',
    'headers',
    'auth_openidc',
  ]
  const load = names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  await writeFile(join(dir, 'mime.types'), 'text/html html\n')
  await writeFile(
    join(dir, 'httpd.conf'),
    `${load.join('\n')}
ServerRoot ${dir}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${dir}/httpd.pid
DefaultRuntimeDir ${dir}
Mutex file:${dir} default
ErrorLog ${dir}/error.log
LogLevel auth_openidc:info
TypesConfig ${dir}/mime.types
DocumentRoot ${dir}/htdocs
DirectoryIndex index.html
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
${directives}
OIDCInfoHook id_token userinfo access_token refresh_token
${more}
<Location /secure/>
  Header set X-User "expr=%{REMOTE_USER}"
  Header set X-Email "%{OIDC_CLAIM_email}e"
  Header set X-Groups "%{OIDC_CLAIM_groups}e"
</Location>
`,
  )
  const child = spawn(path, ['-f', join(dir, 'httpd.conf'), '-DFOREGROUND'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answers(url)
  return {
    url,
    log: () => readFile(join(dir, 'error.log'), 'utf8').catch(() => ''),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'close')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
