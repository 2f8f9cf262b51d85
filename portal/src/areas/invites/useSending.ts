import { useRef, useState } from 'react'
import type { Assigned } from './queries.ts'
import { invite, renew } from './queries.ts'

/** What came of many invites. Of `unmailed` the invite is there, but the mail server took no letter. */
export type Sent = {
  total: number
  sent: string[]
  unmailed: { mail: string; link: string }[]
  failed: { mail: string; error: unknown }[]
}
export const done = ({ sent, unmailed, failed }: Sent) => sent.length + unmailed.length + failed.length

/** The service hands each letter over before it answers: a few side by side. */
const abreast = 3

/** Invites one after the other, telling how far it is; `stop` lets those under way end and begins no more. */
export function useSending() {
  const [state, tell] = useState<Sent>()
  const [busy, setBusy] = useState(false)
  const stopped = useRef(false)

  /** Answers what came of it; who was not tried before it was stopped stands nowhere in it. */
  async function send(mails: readonly string[], assigned: Assigned): Promise<Sent> {
    const left = [...mails]
    const so: Sent = { total: mails.length, sent: [], unmailed: [], failed: [] }
    stopped.current = false
    setBusy(true)
    tell(so)
    const work = async () => {
      while (!stopped.current) {
        const mail = left.shift()
        if (mail === undefined) return
        try {
          const { link, mail_sent } = await invite(assigned, mail)
          if (mail_sent) so.sent.push(mail)
          else so.unmailed.push({ mail, link })
        } catch (error) {
          so.failed.push({ mail, error })
        }
        tell({ ...so })
      }
    }
    await Promise.all(Array.from({ length: abreast }, work))
    setBusy(false)
    void renew()
    return so
  }

  return {
    state,
    busy,
    send,
    stop: () => {
      stopped.current = true
    },
    forget: () => tell(undefined),
  }
}
