import type { Static } from 'typebox'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { answer, refusals, results } from '#src/http/replies.ts'

type Needs = Pick<Deps, 'directory' | 'store' | 'config' | 'log'>

/** What an administrator asks first: is all of it well, and what will soon need a hand? */
export async function statusRoutes(app: App, deps: Needs) {
  app.get(
    '/',
    {
      config: { access: admin },
      schema: {
        tags: ['operations'],
        summary: 'How the service and what is behind it are doing.',
        response: { 200: results(Status), ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    async () => ({ results: await statusOf(deps) }),
  )
}

/** Each part by itself: one that is away hides no other. */
async function statusOf({ directory, store, config }: Needs): Promise<Static<typeof Status>> {
  const [ldap, redis, pods, delivery, plugins, keys, channels] = await Promise.allSettled([
    directory.ping(),
    store.health(),
    store.bus.listeners(),
    store.jobs.counts(),
    store.runs.counts(),
    store.signingKeys.read(),
    store.channels.read(),
  ])
  const told = <T>(part: PromiseSettledResult<T>) => (part.status === 'fulfilled' ? part.value : undefined)
  return {
    ldap: {
      status: ldap.status === 'fulfilled' ? 'ok' : 'away',
      lacks: directory.capabilities
        .filter(({ available }) => !available)
        .map(({ feature, consequence }) => ({ feature, consequence })),
    },
    redis: {
      status: redis.status === 'fulfilled' ? 'ok' : 'away',
      persistence: told(redis)?.persistence ?? 'unknown',
      warnings: told(redis)?.warnings ?? [],
    },
    mail: config.smtp.host ? 'configured' : 'not configured',
    sms: config.sms.accountSid ? 'configured' : 'not configured',
    channels: told(channels) ?? null,
    pods: told(pods) ?? null,
    jobs: { delivery: told(delivery) ?? null, plugins: told(plugins) ?? null },
    signing_keys: told(keys) ? keysOf(told(keys) as Stored) : [],
  }
}

type Stored = Awaited<ReturnType<Deps['store']['signingKeys']['read']>>

/** Of each algorithm one signs; those that come are published already, and those before verify what they signed. */
function keysOf({ now, keys }: Stored): Static<typeof SigningKey>[] {
  const signing = new Map<string, number>()
  for (const { algorithm, startsAt } of keys)
    if (startsAt <= now) signing.set(algorithm, Math.max(startsAt, signing.get(algorithm) ?? 0))
  return keys
    .map(({ algorithm, startsAt }) => ({
      algorithm,
      signs_from: startsAt,
      state:
        startsAt > now
          ? ('coming' as const)
          : startsAt === signing.get(algorithm)
            ? ('signing' as const)
            : ('past' as const),
    }))
    .sort((a, b) => a.signs_from - b.signs_from || (a.algorithm < b.algorithm ? -1 : 1))
}

const System = Type.Enum(['ok', 'away'])
const Configured = Type.Enum(['configured', 'not configured'])
const at = Type.Union([Type.Integer(), Type.Null()], { description: 'Milliseconds since 1970.' })
const Channel = answer({
  sent_on: at,
  failed_on: at,
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'What the other side or the network said to the last that failed.',
  }),
})
const Jobs = Type.Union([
  answer({
    waiting: Type.Integer(),
    active: Type.Integer(),
    delayed: Type.Integer(),
    failed: Type.Integer({ description: 'Given up in the last days.' }),
  }),
  Type.Null(),
])
const SigningKey = answer({
  algorithm: Type.String(),
  signs_from: Type.Integer({ description: 'Milliseconds since 1970.' }),
  state: Type.Enum(['coming', 'signing', 'past']),
})
const Status = answer({
  ldap: answer({
    status: System,
    lacks: Type.Array(answer({ feature: Type.String(), consequence: Type.String() })),
  }),
  redis: answer({
    status: System,
    persistence: Type.String(),
    warnings: Type.Array(Type.String()),
  }),
  mail: Configured,
  sms: Configured,
  channels: Type.Union([answer({ mail: Channel, sms: Channel }), Type.Null()], {
    description: 'How messages went last, on any pod. Nothing is sent to find out.',
  }),
  pods: Type.Union([Type.Integer({ description: 'How many listen to each other.' }), Type.Null()]),
  jobs: answer({ delivery: Jobs, plugins: Jobs }),
  signing_keys: Type.Array(SigningKey),
})
