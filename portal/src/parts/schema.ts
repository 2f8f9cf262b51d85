/** What of JSON Schema a declared field uses: settings of the service and of plugins. */
export type Schema = {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array'
  enum?: readonly unknown[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  description?: string
}

/** A key of the catalogue `forms` and what fills its blanks. */
export type Fault = { key: 'required' | 'number' | 'range' | 'least' | 'most' | 'pattern'; values?: object }

/** What is wrong with a value by its schema; what only the service knows it says when it is saved. */
export function faultOf(schema: Schema, value: unknown, required = false): Fault | undefined {
  if (value === undefined || value === '')
    return required || (schema.minLength && value === '') ? { key: 'required' } : undefined
  if (schema.type === 'integer' || schema.type === 'number') return numberFault(schema, value)
  if (typeof value !== 'string') return undefined
  if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) return { key: 'pattern' }
  return undefined
}

function numberFault({ type, minimum, maximum }: Schema, value: unknown): Fault | undefined {
  if (
    typeof value !== 'number' ||
    !Number.isFinite(value) ||
    (type === 'integer' && !Number.isInteger(value))
  )
    return { key: 'number' }
  if ((minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum))
    return undefined
  if (minimum === undefined) return { key: 'most', values: { maximum } }
  return maximum === undefined
    ? { key: 'least', values: { minimum } }
    : { key: 'range', values: { minimum, maximum } }
}
