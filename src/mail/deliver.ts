import { randomUUID } from 'node:crypto'
import type { TextMessage } from '#adapters/sms.ts'
import type { Deps } from '#src/deps.ts'
import type { Letter } from './letter.ts'
import { letterTo } from './letter.ts'

/**
 * Sends one letter to one address: answers when it is among the jobs, from where it goes out, tried again while the
 * server does not take it. Sealed there, since it may carry a code or a link. Throws UpstreamFailure without Redis.
 */
export async function deliver(
  { store, config }: Pick<Deps, 'store' | 'config'>,
  to: string,
  letter: Letter,
): Promise<void> {
  const data = letterTo(to, letter, config)
  await store.jobs.add({ id: `mail-${randomUUID()}`, kind: 'mail', data, secret: true })
}

/** The same by SMS. */
export async function deliverText({ store }: Pick<Deps, 'store'>, data: TextMessage): Promise<void> {
  await store.jobs.add({ id: `sms-${randomUUID()}`, kind: 'sms', data, secret: true })
}

/** Sends a letter now, for answers that tell the outcome. Throws UpstreamFailure when the server did not take it. */
export async function handOver(
  { mail, config }: Pick<Deps, 'mail' | 'config'>,
  to: string,
  letter: Letter,
): Promise<void> {
  await mail.send(letterTo(to, letter, config))
}
