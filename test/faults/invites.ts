import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Messages } from '#test/support/messages.ts'
import { linkIn } from '#test/support/messages.ts'
import { wasLost } from './load.ts'
import type { Rig } from './rig.ts'

type Invite = { token: string; mailToken: string; mail: string }

/** Invites into a group, with the links that were mailed for them. */
export async function giveInvites(rig: Rig, messages: Messages, count: number) {
  const group = `invited-${Math.random().toString(36).slice(2, 8)}`
  const asAdmin = (method: string, path: string, body: object) =>
    rig.request(method, path, { token: rig.admin, body })
  await asAdmin('POST', '/api/group/', { name: group, description: '' })
  const invites = await Promise.all(
    Array.from({ length: count }, async (_, at): Promise<Invite> => {
      const mail = `${group}-${at}@example.org`
      const { body } = await asAdmin('POST', '/api/user/invite', { mail, groups: [group] })
      const link = linkIn((await messages.mailTo(mail)).text)
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
  const seen = { accepted: 0, errors: 0, lost: 0, refused: [] as string[], people: [] as string[] }
  let stopped = false

  async function accept({ token, mailToken, mail }: Invite): Promise<void> {
    const uid = mail.split('@')[0] as string
    const body = { uid, password: `password of ${uid}`, givenName: 'In', sn: 'Vited', mail }
    let lost = false
    for (;;) {
      const answer = await rig
        .request('POST', `/api/auth/invite/${token}/${mailToken}`, { body })
        .catch((error) => ({ status: 0, text: String(error.cause ?? error) }))
      if (answer.status === 200) {
        seen.accepted++
        seen.people.push(uid)
        return
      }
      if (answer.status !== 0 && answer.status < 500) {
        if (lost) seen.lost++
        else seen.refused.push(`${answer.status} ${answer.text}`)
        return
      }
      seen.errors++
      lost ||= wasLost(answer)
      await pause(50)
    }
  }

  const all = (async () => {
    for (const invite of invites) {
      if (stopped) return
      await accept(invite)
      await pause(20)
    }
  })()

  return {
    seen,
    async stop() {
      stopped = true
      await all
    },
    async judge(t: Test) {
      t.same(seen.refused, [], 'an invite outlives a request that was answered with an error')
      t.ok(seen.accepted > 0)
      const { people, refused: _, ...counts } = seen
      t.comment('invites', counts)
      const missing: string[] = []
      for (const uid of people) {
        const token = await rig.login(uid, `password of ${uid}`)
        const { body } = await rig.request<{ groups: string[] }>('GET', '/api/user/me', { token })
        if (!body.groups.includes(group)) missing.push(uid)
      }
      t.same(missing, [], 'who was told yes is in the groups of the invite')
    },
  }
}
