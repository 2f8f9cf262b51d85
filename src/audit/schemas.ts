import Type from 'typebox'
import { answer, next, paging, results } from '#src/http/replies.ts'

const name = { minLength: 1, maxLength: 256 }
const at = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const fields = {
  id: Type.String({ description: 'In order of time.' }),
  at: Type.Integer({ description: 'Milliseconds.' }),
  actor: Type.String({ description: 'uid; `service` for the service itself; empty for nobody known.' }),
  action: Type.String(),
  target: Type.String({ description: 'What it was done to: a uid, a group, a client.' }),
  outcome: Type.String({ description: '`ok`, or how it was refused.' }),
}
const detail = Type.Optional(Type.Record(Type.String(), Type.Unsafe<unknown>({})))

const address = Type.String({ description: 'Of the caller; empty where it is not for you to know.' })

const api_token = Type.Optional(
  Type.String({ description: 'Id of the personal access token by which it was done.' }),
)

export const AuditEvent = answer({ ...fields, address, detail, api_token })

const filter = {
  actor: Type.Optional(Type.String(name)),
  action: Type.Optional(Type.String(name)),
  target: Type.Optional(Type.String(name)),
  outcome: Type.Optional(Type.String(name)),
  since: Type.Optional(Type.Integer({ ...at, description: 'Milliseconds, included.' })),
  until: Type.Optional(Type.Integer({ ...at, description: 'Milliseconds, included.' })),
}
export const Filter = Type.Object(filter)
export const ListQuery = Type.Object({ ...filter, limit: paging.limit, cursor: paging.cursor })
export const ActivityQuery = Type.Object({ limit: paging.limit, cursor: paging.cursor })

export const Listed = results(Type.Array(AuditEvent), next)
