import type { InviteRecord } from '#adapters/redis/invites.ts'
import type { Deps } from '#src/deps.ts'
import { inPerson, memberOf } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import { refusals } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import {
  createInvite,
  creatorSeenBy,
  revokeInvite,
  sendAgain,
  shown,
  stateOf,
  updateInvite,
} from './service.ts'

const tags = ['invite']
const access = memberOf('app_sso_admin', 'app_sso_invite')
const config = { access }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** The rows of the interface's User table that give invites. */
export async function inviteRoutes(app: App, deps: Deps) {
  const cursorKey = (order: string) => deps.store.keys.derive(`cursor:invite:${order}`)

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'Invite somebody; with an address, a link is mailed to it.',
        body: of.NewInvite,
        response: { 200: of.Created, ...refusals(...denied) },
      },
    },
    (request) => createInvite(deps, actorOf(request), request.body),
  )

  app.get(
    '/',
    {
      // A list of links that make accounts: a token that may only read would do more with it.
      config: { access: inPerson(access) },
      schema: {
        tags,
        summary: 'Invites, or a page of them: all to admins, to others their own.',
        querystring: of.ListQuery,
        response: { 200: of.Listed, ...refusals(...denied) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, q, order = 'desc', state } = request.query
      const created_by = await creatorSeenBy(actorOf(request))
      const after = cursor === undefined ? undefined : openCursor<string>(cursorKey(order), cursor)
      const listing = {
        created_by,
        q,
        order,
        ...(state ? { only: (one: InviteRecord) => stateOf(one) === state } : {}),
      }
      if (limit === undefined) return streamResults(reply, of.Invite, each(deps, listing))
      const { entries, next } = await deps.store.invites.page({ ...listing, after, limit })
      return { results: entries.map(shown), ...(next ? { next: sealCursor(cursorKey(order), next) } : {}) }
    },
  )

  app.put(
    '/:token',
    {
      config,
      schema: {
        tags,
        summary: 'Change groups or address of a valid invite; a new address is sent a link.',
        params: of.TokenParams,
        body: of.InviteChanges,
        response: { 200: of.Updated, ...refusals(...denied, 'NotFound', 'InvalidInvite', 'Conflict') },
      },
    },
    async (request) => ({
      results: shown(await updateInvite(deps, actorOf(request), request.params.token, request.body)),
    }),
  )

  app.post(
    '/:token/send',
    {
      config,
      schema: {
        tags,
        summary: 'Mail the link of a valid invite once more to the address that it is for.',
        params: of.TokenParams,
        response: {
          200: of.Sent,
          ...refusals(...denied, 'NotFound', 'InvalidInvite', 'TooManyRequests'),
        },
      },
    },
    async (request) => ({ mail_sent: await sendAgain(deps, actorOf(request), request.params.token) }),
  )

  app.delete(
    '/:token',
    {
      config,
      schema: {
        tags,
        summary: 'Revoke a valid invite.',
        params: of.TokenParams,
        response: { 200: of.Revoked, ...refusals(...denied, 'NotFound', 'InvalidInvite', 'Conflict') },
      },
    },
    async (request) => {
      await revokeInvite(deps, actorOf(request), request.params.token)
      return { results: true }
    },
  )
}

async function* each(
  { store }: Deps,
  listing: Parameters<Deps['store']['invites']['each']>[0],
): AsyncGenerator<of.Invite> {
  for await (const invite of store.invites.each(listing)) yield shown(invite)
}
