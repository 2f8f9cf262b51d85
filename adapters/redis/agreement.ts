import type { Bus } from './bus.ts'
import type { Connection, Log } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

export type Agreement = Awaited<ReturnType<typeof openAgreement>>

/** Milliseconds. A pod proposes a change no more often, so that two which find otherwise do not chase each other. */
const betweenProposals = 10_000
/** After which a change that could not be told is told again. */
const retellMilliseconds = 500

/**
 * One word that all pods go by, durable: who finds that it will not do proposes another, and the first proposal counts.
 * Known to every pod within a moment; while Redis is away each keeps what it knew.
 */
export async function openAgreement(
  connection: Connection,
  { name, keys, bus, log }: { name: string; keys: Keys; bus: Bus; log: Log },
) {
  const key = keys.durable('agreement', name)
  const propose = defineScript(connection, 'agreementPropose', { keys: 1, lua: proposeLua, durable: true })
  const handlers: ((word: string) => void)[] = []
  let agreed: string | undefined
  let wanted: string | undefined
  let proposedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let retelling: NodeJS.Timeout | undefined
  let untold = false
  let closed = false

  function learn(word: string | undefined) {
    if (word === undefined || word === agreed) return
    agreed = word
    for (const handler of handlers) handler(word)
  }
  const look = async () => learn((await connection.client.get(key)) ?? undefined)
  const lookAgain = () => void look().catch(() => {}) // the end of the gap asks again

  function proposeSoon() {
    timer ??= setTimeout(
      async () => {
        timer = undefined
        if (wanted === undefined || wanted === agreed) return
        const before = agreed
        if (before !== undefined) proposedAt = performance.now()
        try {
          learn((await propose(key, before ?? '', wanted)) as string)
        } catch (error) {
          log.warn({ err: error }, `pods could not agree: ${name}`)
          proposeSoon()
        }
        await tell() // also where the answer alone was lost: whoever hears it looks
      },
      Math.max(0, proposedAt + betweenProposals - performance.now()),
    ).unref()
  }

  /** Again and again until it is sent: a pod that has not heard goes elsewhere. */
  async function tell(): Promise<void> {
    clearTimeout(retelling)
    try {
      await bus.publish(key, '')
      untold = false
    } catch (error) {
      if (!untold) log.warn({ err: error }, `pods could not be told what was agreed: ${name}`)
      untold = true
      clearTimeout(retelling)
      if (!closed) retelling = setTimeout(tell, retellMilliseconds).unref()
    }
  }

  await look()
  bus.subscribe(key, lookAgain)
  bus.onGap(lookAgain)
  return {
    /** Undefined until somebody has proposed anything. */
    get word(): string | undefined {
      return agreed
    },
    /** What does here: proposed to the others when it is not what was agreed. */
    want(word: string): void {
      wanted = word
      if (word !== agreed) proposeSoon()
    },
    onChange(handler: (word: string) => void): void {
      handlers.push(handler)
    },
    [Symbol.dispose](): void {
      closed = true
      for (const each of [timer, retelling]) clearTimeout(each)
      wanted = undefined
    },
  }
}

/** KEYS word; ARGV the one that will not do, the one proposed. Answers the one in force. */
const proposeLua = `
local word = redis.call('GET', KEYS[1])
if (word or '') == ARGV[1] then
  word = ARGV[2]
  redis.call('SET', KEYS[1], word)
end
return word`
