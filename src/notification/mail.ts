import type { Message } from '#adapters/mail.ts'
import type { NotificationRecord } from '#adapters/redis/notifications.ts'
import { renderMail } from '#src/mail/render.ts'
import type { Config } from '#src/settings.ts'
import { textOf } from './html.ts'

/** A notification to one address. Its message was made safe when it was stored. */
export function mailOf(
  { subject, message }: Pick<NotificationRecord, 'subject' | 'message'>,
  to: string,
  { branding: { name: brand } }: Pick<Config, 'branding'>,
): Message {
  return {
    ...{ to, subject },
    text: `${textOf(message)}\n\n${brand}\n`,
    html: renderMail('notification', { subject, message, brand }),
  }
}
