import type { TProperties, TSchema } from 'typebox'
import Type from 'typebox'
import type { RefusalName } from '#src/errors.ts'
import { refusalOf } from '#src/errors.ts'

/** A closed request body: unknown fields are refused by name (contract section 1). */
export function body<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

/** A closed answer: what the schema does not name never leaves the service. */
export function answer<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

/** `{results: …}` with whatever stands beside it. */
export function results<T extends TSchema, P extends TProperties = Record<never, never>>(
  schema: T,
  beside?: P,
) {
  return answer({ results: schema, ...(beside ?? ({} as P)) })
}

/** Answer of `?limit=`: `next` is the cursor of the following page, absent on the last. */
export const next = { next: Type.Optional(Type.String({ description: 'Cursor of the next page.' })) }

/** Query of every list (contract section 1, paging). */
export const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Page size; without it, all.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: '`next` of the page before.' })),
  q: Type.Optional(Type.String({ maxLength: 128, description: 'Search.' })),
}

/** `sort` of lists that have one order only. */
export const oldestFirst = {
  sort: Type.Optional(Type.Enum(['created_on'], { description: 'Oldest first, always.' })),
}
export const newestFirst = {
  sort: Type.Optional(Type.Enum(['created_on'], { description: 'Newest first, always.' })),
}

/** Of lists that go by time. */
export const byTime = {
  order: Type.Optional(
    Type.Enum(['desc', 'asc'], { description: '`desc`, the newest first, unless it says otherwise.' }),
  ),
}

/** Of lists of what was made once. */
export const byCreation = { sort: Type.Optional(Type.Enum(['created_on'])), ...byTime }

/** `?detail` with any value but `false` and `0` asks for full objects. */
export const detail = { detail: Type.Optional(Type.String({ maxLength: 16 })) }
export function wantsDetail(query: { detail?: string }): boolean {
  return query.detail !== undefined && query.detail !== 'false' && query.detail !== '0'
}

export const message = Type.String({ description: 'A sentence for people.' })

const always = ['InvalidInput', 'InternalError', 'UpstreamFailure'] as const

/** Response schemas by status for the refusals a route throws; those that every route, or every protected one, can give are added. */
export function refusals(...names: RefusalName[]): Record<number, TSchema> {
  const byStatus = new Map<number, RefusalName[]>()
  const gated = names.includes('Unauthorized') ? (['OnboardingRequired'] as const) : []
  for (const name of new Set([...names, ...gated, ...always])) {
    const { status } = refusalOf(name)
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return Object.fromEntries([...byStatus].map(([status, of]) => [status, refusalBody(of)]))
}

function refusalBody(names: RefusalName[]) {
  return Type.Object(
    {
      name: Type.Enum(names),
      message,
      id: Type.Optional(Type.String({ description: 'Id in the log, with a 500.' })),
    },
    { description: names.map((name) => `${name}: ${refusalOf(name).message}`).join(' ') },
  )
}
