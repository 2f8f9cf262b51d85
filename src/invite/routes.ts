import type { Deps } from '#src/deps.ts'
import { inPerson, memberOf } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import { refusals } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import { createInvite, creatorSeenBy, revokeInvite, shown, updateInvite } from './service.ts'

const tags = ['invite']
const access = memberOf('app_sso_admin', 'app_sso_invite')
const config = { access }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** The rows of the interface's User table that give invites. */
export async function inviteRoutes(app: App, deps: Deps) {
  const cursorKey = () => deps.store.keys.derive('cursor:invite')

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
        summary: 'Invites, the newest first, or a page of them: all to admins, to others their own.',
        querystring: of.ListQuery,
        response: { 200: of.Listed, ...refusals(...denied) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, q } = request.query
      const created_by = await creatorSeenBy(actorOf(request))
      const after = cursor === undefined ? undefined : openCursor<string>(cursorKey(), cursor)
      if (limit === undefined) return streamResults(reply, of.Invite, each(deps, { created_by, q }))
      const { entries, next } = await deps.store.invites.page({ created_by, q, after, limit })
      return { results: entries.map(shown), ...(next ? { next: sealCursor(cursorKey(), next) } : {}) }
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
  listing: { created_by: string | undefined; q: string | undefined },
): AsyncGenerator<of.Invite> {
  for await (const invite of store.invites.each(listing)) yield shown(invite)
}
