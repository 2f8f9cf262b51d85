import { setTimeout as pause } from 'node:timers/promises'
import { relyingParty } from '#test/support/oauth.ts'
import type { Rig } from './rig.ts'
import type { Ask, Client } from './seen.ts'
import { wasLost } from './seen.ts'

/**
 * An application that keeps its refresh token whenever it is told of an error, and uses it again. It loses its session
 * when an answer was lost that had used the token up; told of an error before, it must not.
 */
export function keepRefreshing(client: Client, admin: string, request: Ask) {
  const counts = { rotated: 0, answeredWithAnError: 0, sessionsLostByALostAnswer: 0 }
  /** When the tokens were given that were refused although each answer had come. */
  const refused: number[] = []
  const party = relyingParty(client as Rig, admin)
  let stopped = false

  const begin = async () => {
    const application = await party.register()
    const { refresh_token } = await party.tokensFor(application, admin)
    return { application, token: refresh_token, at: performance.now() }
  }

  const all = (async () => {
    let held: Awaited<ReturnType<typeof begin>> | undefined
    let lost = false
    for (; !stopped; await pause(40)) {
      held ??= await begin().catch(() => undefined)
      if (!held) continue
      const { client_id, client_secret } = held.application
      const body = { client_id, client_secret, grant_type: 'refresh_token', refresh_token: held.token }
      const answer = await request('refresh', 'POST', '/oauth/token', { body })
      if (answer.status === 200) {
        counts.rotated++
        held = { ...held, token: String(answer.body.refresh_token), at: answer.at }
        lost = false
      } else if (answer.status === 400 || answer.status === 401) {
        answer.entry.follows = true
        if (lost) counts.sessionsLostByALostAnswer++
        else refused.push(held.at)
        held = undefined
        lost = false
      } else {
        counts.answeredWithAnError++
        lost ||= wasLost(answer)
      }
    }
  })()

  return {
    counts,
    refused,
    stop() {
      stopped = true
      return all
    },
  }
}
