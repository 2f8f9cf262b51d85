import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { linkIn } from '#test/support/messages.ts'
import { until } from '#test/support/until.ts'
import type { Rig } from './rig.ts'
import { wasLost } from './seen.ts'

type Invite = { token: string; mailToken: string; mail: string }

/** Longer than any fault lasts. */
const patienceMilliseconds = 60_000

/** Invites into a group, with the links that were mailed for them. */
export async function giveInvites(rig: Rig, count: number) {
  const group = `invited-${Math.random().toString(36).slice(2, 8)}`
  const asAdmin = (method: string, path: string, body: object) =>
    rig.request(method, path, { token: rig.admin, body })
  await until(
    'a group is made',
    async () => (await asAdmin('POST', '/api/group/', { name: group, description: '' })).status === 200,
  )
  const invites = await Promise.all(
    Array.from({ length: count }, async (_, at): Promise<Invite> => {
      const mail = `${group}-${at}@example.org`
      const body = await until('an invite is sent', async () => {
        const given = await asAdmin('POST', '/api/user/invite', { mail, groups: [group] })
        return given.body.mail_sent === true && given.body
      })
      const link = linkIn((await rig.messages.mailTo(mail)).text)
      return { token: String(body.token), mailToken: link.split('/').at(-1) as string, mail }
    }),
  )
  return { group, invites }
}

/**
 * People who accept an invite each, one after the other, and try again with the same data until they are told yes or no.
 * After an error an invite must be as good as before.
 */
export function acceptInvites(rig: Rig, { group, invites }: Awaited<ReturnType<typeof giveInvites>>) {
  const counts = { accepted: 0, answeredWithAnError: 0, lostByALostAnswer: 0 }
  /** When they were told no for good, and why. */
  const refused: { at: number; text: string }[] = []
  const people: { uid: string; at: number }[] = []
  let stopped = false

  async function accept({ token, mailToken, mail }: Invite): Promise<void> {
    const uid = mail.split('@')[0] as string
    const body = { uid, password: `password of ${uid}`, givenName: 'In', sn: 'Vited', mail }
    let lost = false
    let answer: { status: number; text: string } = { status: 0, text: '' }
    for (const end = performance.now() + patienceMilliseconds; performance.now() < end; ) {
      answer = await rig
        .request('POST', `/api/auth/invite/${token}/${mailToken}`, { body })
        .catch((error) => ({ status: 0, text: String(error.cause ?? error) }))
      if (answer.status === 200) {
        counts.accepted++
        people.push({ uid, at: performance.now() })
        return
      }
      if (answer.status !== 0 && answer.status < 500) {
        if (lost) counts.lostByALostAnswer++
        else refused.push({ at: performance.now(), text: `${answer.status} ${answer.text}` })
        return
      }
      counts.answeredWithAnError++
      lost ||= wasLost(answer)
      await pause(50)
    }
    refused.push({ at: performance.now(), text: `still ${answer.status} ${answer.text}` })
  }

  const all = (async () => {
    for (const invite of invites) {
      if (stopped) return
      await accept(invite)
      await pause(120) // so that they are at it before, while and after
    }
  })()

  return {
    async stop() {
      stopped = true
      await all
    },
    /** `within`: the times at which something may have been lost. */
    async judge(t: Test, within: (at: number) => boolean) {
      t.same(
        refused.filter(({ at }) => !within(at)),
        [],
        'an invite outlives a request that was answered with an error',
      )
      t.ok(counts.accepted > 0)
      t.comment(
        `invites: accepted ${counts.accepted}, answered with an error ${counts.answeredWithAnError}, lost by a lost answer ${counts.lostByALostAnswer}`,
      )
      const missing: string[] = []
      for (const { uid, at } of people) {
        const token = await rig.login(uid, `password of ${uid}`).catch(() => undefined)
        const me = token
          ? await rig.request<{ groups: string[] }>('GET', '/api/user/me', { token })
          : undefined
        if (me?.body.groups.includes(group) || within(at)) continue
        const { text } = await rig.request('GET', `/api/group/${group}`, { token: rig.admin })
        missing.push(`${uid}, told at ${at}: ${me?.text ?? 'does not sign in'}; ${text}`)
      }
      t.same(missing, [], 'who was told yes is there, in the groups of the invite')
    },
  }
}
