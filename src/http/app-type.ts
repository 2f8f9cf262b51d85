import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Access } from './access.ts'

/** Fastify with types taken from the TypeBox schemas of its routes. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifySchema {
    tags?: readonly string[]
    summary?: string
    description?: string
  }
  interface FastifyContextConfig {
    /** Who may call; stated by every route of the protected scope. */
    access?: Access
    /** Answered also while steps are open and `onboarding.enforce` is `api`; with a `:uid` to that very user only. */
    duringOnboarding?: true
    /** Asked all day by programs: what is answered well is told at debug level only. */
    quiet?: true
  }
}
