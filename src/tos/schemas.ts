import Type from 'typebox'
import { answer, body, message, next, paging, results } from '#src/http/replies.ts'

const version = Type.Integer({ minimum: 0, description: 'Counted from 1; 0 before there was any text.' })
const text = Type.String({ description: 'Markdown; empty while there is nothing to accept.' })
const created_by = Type.String({ description: 'uid of the admin who put it in force.' })

/** The terms as anybody may read them. */
export const PublicTerms = answer({
  version,
  text,
  created_on: Type.Union([Type.Integer(), Type.Null()]),
})
export const Terms = answer({ version, text, created_by, created_on: Type.Integer() })
export const TermsSummary = Type.Omit(Terms, ['text'])

export const NewTerms = body({
  text: Type.String({
    maxLength: 60_000,
    description: 'Plain text or Markdown; empty withdraws the terms.',
  }),
})

export const WhichVersion = Type.Object({
  version: Type.Optional(Type.Integer({ minimum: 1, description: 'An earlier version.' })),
})
export const ListQuery = Type.Object({ limit: paging.limit, cursor: paging.cursor })

export const Read = results(PublicTerms)
export const Published = results(Terms, { message })
export const Listed = results(Type.Array(TermsSummary), next)
export const Preview = results(answer({ html: Type.String({ description: 'Safe HTML, without a page.' }) }))
