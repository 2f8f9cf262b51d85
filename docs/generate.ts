import { writeFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import { buildApp } from '#src/app.ts'
import { environmentName } from '#src/config.ts'
import { refusalNames, refusalOf } from '#src/errors.ts'
import type { Access } from '#src/http/access.ts'
import { leaves } from '#src/settings.ts'
import { startTestService } from '#test/support/service.ts'
import manifest from '../package.json' with { type: 'json' }

/** docs/configuration.md: every setting, from the one declaration. */
export function configurationDocument(): string {
  const rows = leaves().map((leaf) => {
    const { description, default: value, secret, bootstrap, env, required } = leaf.schema
    const names = [environmentName(leaf.path), env].filter(Boolean).map((name) => `\`${name}\``)
    const shown = required ? 'required' : `\`${JSON.stringify(value)}\``
    const marks = [secret && 'secret', bootstrap && 'environment only'].filter(Boolean).join(', ')
    return `| ${names.join(' or ')} | ${shown} | ${description} | ${marks} |`
  })
  return `# Configuration

Generated from \`src/settings.ts\` by \`npm run docs\`: change it there. Lists are comma-separated. A wrong, missing or
unknown name stops the start with one message that lists every fault.

What is not marked *environment only* can be changed while the service runs, by \`POST /api/conf\` with a part of the tree
(\`{"smtp": {"host": "…"}}\`): it is stored in Redis, counts before the environment, and is in force on every pod within a
second, without a restart. \`null\` removes what is stored, so that the environment or the default counts again;
\`GET /api/conf/sources\` tells which does. Secrets are stored sealed under \`app_seal__key\`, and where that is empty under a
key made from the environment's signing secret.

To change that key, stop every pod, set the new one (\`app_seal__key\`, or \`JWT_SECRET\` where that is empty), and run
\`npm run reseal\` with the environment of a pod and \`RESEAL_FROM\` set to the old key, which is the old signing secret where
\`app_seal__key\` was empty. It looks at everything before it writes anything, can be run again after an interruption, and makes
the seals of the audit log anew, so note the newest that \`npm run audit:verify\` prints afterwards. A pod that cannot open
what is stored does not start.

| environment name | default | meaning | |
|---|---|---|---|
${rows.join('\n')}
`
}

/** docs/errors.md: every refusal, from the one table. */
export function errorsDocument(): string {
  const rows = refusalNames.map(
    (name) => `| ${refusalOf(name).status} | \`${name}\` | ${refusalOf(name).message} |`,
  )
  return `# Errors

Generated from \`src/errors.ts\` by \`npm run docs\`: change it there. Every failure on \`/api/*\` has the body
\`{name, message}\`; a 500 also carries the \`id\` under which the log tells the rest. On \`/oauth/*\` the members \`error\`
and \`error_description\` of RFC 6749 stand beside them.

| status | name | sentence |
|---|---|---|
${rows.join('\n')}
`
}

/** What opens a route of the protected scope. */
const securityOf = ({ sessionOnly }: Access): Record<string, string[]>[] => [
  { authToken: [] },
  ...(sessionOnly ? [] : [{ apiToken: [] }]),
]

/** docs/openapi.json: every route with a tag, as the running service registers it. */
export async function openapiDocument(): Promise<string> {
  await using service = await startTestService()
  const app = await buildApp(service.deps, async (server) => {
    await server.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Latchkey', version: manifest.version, description: manifest.description },
        components: {
          securitySchemes: {
            authToken: { type: 'apiKey', in: 'header', name: 'auth-token' },
            apiToken: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
          },
        },
      },
      transform: ({ schema, url, route }) => {
        const access = route.config?.access
        if (!schema?.tags || route.method === 'HEAD') return { schema: { ...schema, hide: true }, url }
        const description = [schema.description, access && `Access: ${access.label}.`]
          .filter(Boolean)
          .join(' ')
        return {
          schema: { ...schema, description, ...(access ? { security: securityOf(access) } : {}) },
          url,
        }
      },
    })
  })
  try {
    return `${JSON.stringify(app.swagger(), null, 1)}\n`
  } finally {
    await app.close()
  }
}

if (import.meta.main) {
  const at = (name: string) => new URL(name, import.meta.url)
  await writeFile(at('configuration.md'), configurationDocument())
  await writeFile(at('errors.md'), errorsDocument())
  await writeFile(at('openapi.json'), await openapiDocument())
}
