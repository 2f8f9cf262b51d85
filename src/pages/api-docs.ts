import { readFile } from 'node:fs/promises'
import type { App } from '#src/http/app-type.ts'

/** A row of a table of fields: `results.uid`, `string`, whether it must be there, and a sentence. */
export type Field = { name: string; type: string; required: boolean; description: string }
export type Operation = {
  id: string
  method: string
  path: string
  summary: string
  description: string
  parameters: Field[]
  body: Field[]
  answers: { status: string; description: string; fields: Field[] }[]
}
export type ApiDocs = { version: string; tags: { name: string; operations: Operation[] }[] }

const document = new URL('../../docs/openapi.json', import.meta.url)

/** The API document as a page for people, made from the same file that /api/openapi.json answers: no scripts. */
export async function apiDocsPage(app: App): Promise<void> {
  let docs: Promise<ApiDocs> | undefined
  app.get('/api/docs', async (_request, reply) => {
    docs ??= readFile(document, 'utf8').then((text) => apiDocs(JSON.parse(text)))
    return reply.page('api-docs', await docs)
  })
}

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  default?: unknown
}
type Content = { description?: string; content?: Record<string, { schema?: Schema }> }
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }
type Described = {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content>
}
type Document = { info: { version: string }; paths: Record<string, Record<string, Described>> }

/** An OpenAPI document arranged for reading: operations by tag, in the order of their registration. */
export function apiDocs({ info, paths }: Document): ApiDocs {
  const tags = new Map<string, Operation[]>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, described] of perMethod(methods)) {
      const tag = described.tags?.[0] ?? 'other'
      tags.set(tag, [...(tags.get(tag) ?? []), operation(method.toUpperCase(), path, described)])
    }
  return { version: info.version, tags: [...tags].map(([name, operations]) => ({ name, operations })) }
}

/** A route for all methods is told once, as the interface does. */
function perMethod(methods: Record<string, Described>): [string, Described][] {
  const all = Object.entries(methods)
  const [first] = all
  const same = all.every(([, { summary }]) => summary === first?.[1].summary)
  return first && same && all.length > 5 ? [['all', first[1]]] : all
}

function operation(method: string, path: string, described: Described): Operation {
  return {
    id: `${method}${path}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, ''),
    method,
    path,
    summary: described.summary ?? '',
    description: described.description ?? '',
    parameters: (described.parameters ?? []).map((parameter) => ({
      name: parameter.name,
      type: `${typeOf(parameter.schema ?? {})}, ${parameter.in}`,
      required: parameter.required === true,
      description: parameter.description ?? parameter.schema?.description ?? '',
    })),
    body: fieldsOf(schemaOf(described.requestBody)),
    answers: Object.entries(described.responses ?? {}).map(([status, content]) => ({
      status,
      description: content.description?.replace(/^Default Response$/, '') ?? '',
      fields: status.startsWith('2') ? fieldsOf(schemaOf(content)) : [],
    })),
  }
}

function schemaOf(content: Content | undefined): Schema {
  return Object.values(content?.content ?? {})[0]?.schema ?? {}
}

/** The fields of an object, those inside of objects and lists after their own, as `results[].uid`. */
function fieldsOf(schema: Schema, prefix = ''): Field[] {
  if (schema.items) return fieldsOf(schema.items, `${prefix.replace(/\.$/, '')}[].`)
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const name = prefix + key
    const required = schema.required?.includes(key) ?? false
    return [
      { name, type: typeOf(inner), required, description: inner.description ?? '' },
      ...fieldsOf(inner, `${name}.`),
    ]
  })
}

function typeOf({ type, const: only, enum: values, anyOf, items }: Schema): string {
  if (only !== undefined) return JSON.stringify(only)
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (items) return `array of ${typeOf(items)}`
  return [type ?? 'any'].flat().join(' or ')
}
