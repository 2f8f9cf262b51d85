import type { PluginType } from './type.ts'
import { httpCheck } from './types/http-check.ts'
import { messageWebhook } from './types/message-webhook.ts'

/** Every type of plugin there is. */
export const pluginTypes: readonly PluginType[] = [httpCheck, messageWebhook]

export function pluginType(type: string): PluginType | undefined {
  return pluginTypes.find((each) => each.type === type)
}
