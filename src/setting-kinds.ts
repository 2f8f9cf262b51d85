import type { TProperties } from 'typebox'
import Type from 'typebox'

/** What a leaf says of itself beside type, default and sentence. */
export type LeafOptions = {
  /** Only from the environment; shown, never changed at run time. */
  bootstrap?: boolean
  secret?: boolean
  /** Second environment name. */
  env?: string
  required?: boolean
}

/** A part of the tree: closed. */
export function group<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}
export function text(value: string, description: string, options: LeafOptions = {}) {
  return Type.String({
    default: value,
    description,
    ...(options.required ? { minLength: 1 } : {}),
    // No line of a setting ends a line of a mail's header.
    ...(options.secret ? {} : { pattern: '^[^\\x00-\\x1f\\x7f]*$' }),
    ...options,
  })
}
export function whole(
  value: number,
  description: string,
  options: LeafOptions & { minimum?: number; maximum?: number } = {},
) {
  return Type.Integer({ default: value, description, minimum: 0, ...options })
}
export function flag(value: boolean, description: string, options: LeafOptions = {}) {
  return Type.Boolean({ default: value, description, ...options })
}
export function list(value: string[], description: string, options: LeafOptions = {}) {
  return Type.Array(Type.String(), { default: value, description, ...options })
}
/** The first of `values` is the default. */
export function choice<const V extends [string, ...string[]]>(
  values: V,
  description: string,
  options: LeafOptions = {},
) {
  return Type.Enum(values, { default: values[0], description, ...options })
}

/** Some of `values`; all of them by default. */
export function choices<const V extends [string, ...string[]]>(
  values: V,
  description: string,
  options: LeafOptions = {},
) {
  return Type.Array(Type.Enum(values), { default: values, description, uniqueItems: true, ...options })
}
