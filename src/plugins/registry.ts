import type { PluginType } from './type.ts'
import { csvImport } from './types/csv-import.ts'
import { docker } from './types/docker.ts'
import { httpCheck } from './types/http-check.ts'
import { ldifExport } from './types/ldif-export.ts'
import { messageWebhook } from './types/message-webhook.ts'
import { twilio } from './types/twilio.ts'

/** Every type of plugin there is. */
export const pluginTypes: readonly PluginType[] = [
  docker,
  httpCheck,
  messageWebhook,
  twilio,
  ldifExport,
  csvImport,
]

export function pluginType(type: string): PluginType | undefined {
  return pluginTypes.find((each) => each.type === type)
}
