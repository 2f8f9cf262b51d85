import Type from 'typebox'
import { answer, byTime, next, paging, results } from '#src/http/replies.ts'

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
  ...byTime,
}
export const Filter = Type.Object(filter)
export const ListQuery = Type.Object({ ...filter, limit: paging.limit, cursor: paging.cursor })
export const ActivityQuery = Type.Object({ limit: paging.limit, cursor: paging.cursor })

export const Listed = results(Type.Array(AuditEvent), next)

export const PartQuery = Type.Object({ limit: paging.limit, cursor: paging.cursor })
export const Verified = results(
  answer({
    from: Type.Integer({ description: 'Number of the first seal that was looked at.' }),
    seals: Type.Integer({ description: 'Seals from there on that hold.' }),
    of: Type.Integer({ description: 'Number of the newest seal there is.' }),
    events: Type.Integer({ description: 'Events that those seals stand for.' }),
    unsealed: Type.Integer({
      description: 'Events younger than the last seal, told at the end of the chain.',
    }),
    newest: Type.String({
      description: 'The last good seal: whoever noted it down earlier can tell that the end was cut off.',
    }),
    fault: Type.Union([Type.String(), Type.Null()], { description: 'The first thing that is wrong.' }),
  }),
  next,
)
