import { Ajv } from 'ajv'
import { Refusal } from '#src/errors.ts'
import { pluginType } from './registry.ts'

const ajv = new Ajv({ strict: false })

/** Throws InvalidInput for an unknown type, and for settings that are not as it wants them, naming the field. */
export function assertConfig(type: string, config: Record<string, unknown>): void {
  const known = pluginType(type)
  if (!known) throw new Refusal('InvalidInput', `pluginType: there is no type ${type}.`)
  const { configSchema, validate } = known
  if (!ajv.validate(configSchema, config)) {
    const [fault] = ajv.errors ?? []
    const { additionalProperty, missingProperty } = (fault?.params ?? {}) as Record<string, string>
    const path = `config${fault?.instancePath.replaceAll('/', '.') ?? ''}`
    if (additionalProperty)
      throw new Refusal('InvalidInput', `${path}.${additionalProperty} is not a known field.`)
    if (missingProperty) throw new Refusal('InvalidInput', `${path}.${missingProperty} is required.`)
    throw new Refusal('InvalidInput', `${path} ${fault?.message ?? 'is not valid'}.`)
  }
  const fault = validate?.(config)
  if (fault) throw new Refusal('InvalidInput', fault)
}

/** Throws InvalidInput for what is no schedule; it is read by what the queue reads it with. */
export async function assertCron(cron: string | null): Promise<void> {
  if (cron === null) return
  const { CronExpressionParser } = await import('cron-parser')
  try {
    CronExpressionParser.parse(cron, { tz: 'UTC' }).next()
  } catch (cause) {
    throw new Refusal('InvalidInput', 'cron is no schedule: five fields, or six with seconds first.', {
      cause,
    })
  }
}
