import type { TSchema } from 'typebox'
import Type from 'typebox'
import { mask } from '#src/http/mask.ts'
import { answer, body, message, results } from '#src/http/replies.ts'
import type { LeafOptions } from '#src/setting-kinds.ts'
import type { Config } from '#src/settings.ts'
import { Settings } from '#src/settings.ts'
import type { Source } from './standing.ts'

type Tree<V> = { [name: string]: V | Tree<V> }
export type ConfChanges = Tree<unknown>

/** The declaration of settings as a shape of the wire, each leaf as `leafOf` makes it. */
function shape(
  leafOf: (leaf: TSchema & LeafOptions) => TSchema,
  optional: boolean,
  of: TSchema = Settings,
): TSchema {
  const { properties } = of as { properties?: Record<string, TSchema> }
  if (!properties) return leafOf(of as TSchema & LeafOptions)
  const inner = Object.entries(properties).map(([name, schema]) => {
    const made = shape(leafOf, optional, schema)
    return [name, optional ? Type.Optional(made) : made]
  })
  return Type.Object(Object.fromEntries(inner), { additionalProperties: false })
}

/** JSON Schema alone: no default, which validation would fill in, and none of our own words. */
function plain(leaf: TSchema & LeafOptions) {
  const {
    type,
    enum: values,
    items,
    uniqueItems,
    minimum,
    maximum,
    pattern,
    minLength,
  } = leaf as Record<string, unknown>
  const limits = leaf.secret ? {} : { pattern, minLength }
  const rules = { type, enum: values, items, uniqueItems, minimum, maximum, ...limits }
  const marks = [leaf.bootstrap && 'From the environment only.', leaf.secret && `Secret: ${mask}.`]
  const description = [(leaf as { description?: string }).description, ...marks].filter(Boolean).join(' ')
  return { ...defined(rules), description }
}

/** One setting in the list of all: what a form needs to know of it. */
export const Declared = results(
  Type.Array(
    answer({
      path: Type.String({ description: 'Dotted, as in the tree.' }),
      environment: Type.String({ description: 'Name in the environment.' }),
      description: Type.String(),
      schema: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'JSON Schema of its value.',
      }),
      default: Type.Unsafe<unknown>({ description: 'Without environment and store.' }),
      secret: Type.Boolean({ description: 'Goes in and never comes out.' }),
      bootstrap: Type.Boolean({ description: 'From the environment only.' }),
    }),
  ),
)

/** JSON Schema of a setting's value, without what stands beside it in the list. */
export function schemaOf(leaf: TSchema & LeafOptions): object {
  const { description: _, ...schema } = plain(leaf)
  return schema
}

function nullable(leaf: TSchema & LeafOptions): TSchema {
  const { type, enum: values, ...rest } = plain(leaf) as { type?: string; enum?: unknown[] }
  return Type.Unsafe({
    ...rest,
    ...(type ? { type: [type, 'null'] } : {}),
    ...(values ? { enum: [...values, null] } : {}),
  })
}

export const Conf = Type.Unsafe<Config>(shape((leaf) => Type.Unsafe(plain(leaf)), false))
export const Changes = Type.Unsafe<ConfChanges>(shape(nullable, true))
const sources: Source[] = ['default', 'environment', 'stored']
export const Sources = Type.Unsafe<Tree<Source>>(shape(() => Type.Enum(sources), false))

export const Changed = answer({ success: Type.Boolean() })
export const Test = body({
  to: Type.String({ minLength: 3, maxLength: 254, description: 'Mail address, or phone number.' }),
})
export const Tested = answer({ success: Type.Boolean(), message })

function defined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
