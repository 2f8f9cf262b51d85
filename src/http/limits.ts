import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import fastifyRateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { clientAddress } from './address.ts'
import type { App } from './app-type.ts'

const minutes = 60_000

/**
 * The interface's limits per client address, and ours (contract section 4). A route takes one as `config.rateLimit`;
 * routes with the same `groupId` share one count. Counted in Redis, so all pods count together.
 */
export const limits = {
  login: { groupId: 'login', max: 10, timeWindow: 15 * minutes },
  resetPassword: { groupId: 'reset-password', max: 5, timeWindow: 60 * minutes },
  otpRequest: { groupId: 'otp-request', max: 5, timeWindow: 15 * minutes },
  otpVerify: { groupId: 'otp-verify', max: 10, timeWindow: 15 * minutes },
  invite: { groupId: 'invite', max: 20, timeWindow: 60 * minutes },
  /** Per account: each change sends messages to whoever has the address. */
  addressChange: { groupId: 'address-change', max: 20, timeWindow: 60 * minutes },
  /** Per account: each writes to whoever decides. */
  accessRequest: { groupId: 'access-request', max: 30, timeWindow: 60 * minutes },
  /** User codes typed, right ones too; wrong ones are counted beside (src/oauth/device-guesses.ts). */
  deviceCode: { groupId: 'device-code', max: 40, timeWindow: 15 * minutes },
  /** Codes asked for: each makes guessing easier while it lives. */
  deviceAuthorization: { groupId: 'device-authorization', max: 300, timeWindow: 15 * minutes },
  usernameSuggestions: { groupId: 'username-suggestions', max: 30, timeWindow: 15 * minutes },
} as const

export async function installLimits(app: App, { store }: Pick<Deps, 'store'>): Promise<void> {
  /** The library's own store for Redis counts each route apart, whatever its `groupId`: ours counts the group. */
  class SharedCounts implements FastifyRateLimitStore {
    incr(...[key, done, timeWindow]: Parameters<FastifyRateLimitStore['incr']>): void {
      store.rates.count(key, timeWindow).then(
        (counted) => done(null, counted),
        (error: Error) => done(error),
      )
    }
    child = () => this
  }
  await app.register(fastifyRateLimit, {
    global: false,
    store: SharedCounts,
    keyGenerator: (request: FastifyRequest) => clientAddress(request),
    errorResponseBuilder: (_request, { after }) =>
      new Refusal('TooManyRequests', `Too many requests: try again in ${after}.`),
  })
}
