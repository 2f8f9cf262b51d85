import { test } from 'tap'
import type { Answer } from '#test/support/client.ts'
import { clientOf } from '#test/support/client.ts'
import type { Tokens } from '#test/support/oauth.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService()
await using stack = new AsyncDisposableStack()
const admin = await service.login(service.admin.uid, service.admin.password)

/** Two processes of the service on one Redis and one directory, each as an application sees it. */
const pods = await Promise.all(
  [1, 2].map(async () => {
    const environment = await service.environmentOfPod({ app_log__level: 'info' })
    await startPod(environment, stack, { joins: true })
    return relyingParty(clientOf(`http://127.0.0.1:${environment.app_listen__port}`), admin)
  }),
)
const [one, two] = pods as [(typeof pods)[0], (typeof pods)[0]]
const client = await one.register()
type Use = (pod: typeof one) => Promise<Answer<Tokens & Record<string, unknown>>>

/**
 * Fifty uses at once, one after the other at either process; answers the tokens of those that won. `young`: all came
 * before a later use would have ended what the first one gave (contract section 9: 3 s).
 */
async function race(use: Use): Promise<{ winners: Tokens[]; refusals: string[]; young: boolean }> {
  const began = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => use(n % 2 ? one : two)))
  const winners = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  const others = answers.filter(({ status }) => status !== 200)
  const young = performance.now() - began < 2500
  return { winners, refusals: others.map(({ status, body }) => `${status} ${body.error}`), young }
}
const refused = Array.from({ length: 49 }, () => '400 invalid_grant')

/** Whether tokens live, at the other process than the one asked first. */
async function live({ access_token, refresh_token }: Tokens) {
  return [(await two.userinfo(access_token)).status, (await one.refresh(client, refresh_token)).status]
}

await test('of 50 parallel redemptions of a code at two processes exactly one wins, in 20 of 20 rounds, and its tokens live', async (t) => {
  for (let round = 1; round <= 20; ) {
    const code = await one.codeFor(client, admin)
    const { winners, refusals, young } = await race((pod) => pod.redeem(client, code))
    t.equal(winners.length, 1, `round ${round}`)
    t.same(refusals, refused)
    if (!young) continue
    round++
    t.same(await live(winners[0] as Tokens), [200, 200])
  }
})

await test('of 50 parallel uses of a refresh token at two processes exactly one wins, in 20 of 20 rounds, and its tokens live', async (t) => {
  for (let round = 1; round <= 20; ) {
    const { refresh_token } = await two.tokensFor(client, admin)
    const { winners, refusals, young } = await race((pod) => pod.refresh(client, refresh_token))
    t.equal(winners.length, 1, `round ${round}`)
    t.same(refusals, refused)
    if (!young) continue
    round++
    t.same(await live(winners[0] as Tokens), [200, 200])
  }
})
