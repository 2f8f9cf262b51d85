import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Child } from '#quickstart/child.ts'
import { startChild } from '#quickstart/child.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { findLdapTools } from '#test/support/programs.ts'
import { accepts } from '#test/support/quickstart.ts'

const project = join(import.meta.dirname, '../..')
const usr = '/usr/sbin:/usr/bin:/sbin:/bin'

/** deploy/ldap/entrypoint.sh as the container runs it, on loopback, in a folder that stands for its volume. */
export async function startContainer(
  data: string,
  port: number,
  settings: Record<string, string>,
  { waits = false } = {},
): Promise<Child> {
  await mkdir(data, { recursive: true, mode: 0o700 })
  const [{ slapd }, tools] = await Promise.all([findBinaries(testDataDir), findLdapTools()])
  return startChild({
    command: '/bin/sh',
    args: [join(project, 'deploy/ldap/entrypoint.sh')],
    cwd: data,
    env: {
      PATH: `${join(slapd.path, '..')}:${tools.folder}:${usr}`,
      LD_LIBRARY_PATH: [slapd.env.LD_LIBRARY_PATH, tools.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      ...{
        DATA: data,
        TEMPLATES: join(project, 'quickstart/ldap'),
        SCHEMA: slapd.schema,
        MODULES: slapd.modules,
      },
      LISTEN: `ldap://127.0.0.1:${port}/`,
      ...settings,
    },
    ready: async () => waits || accepts('127.0.0.1', port),
  })
}
