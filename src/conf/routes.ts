import type { Deps } from '#src/deps.ts'
import { admin, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as conf from './schemas.ts'
import { changeConf, declared, readConf, readSources, testMail, testSms } from './service.ts'

const tags = ['conf']
const config = { access: admin }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** Settings at run time (contract section 10). */
export async function confRoutes(app: App, deps: Deps): Promise<void> {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'The settings as they stand; secrets are masked.',
        response: { 200: conf.Conf, ...refusals(...denied) },
      },
    },
    () => readConf(deps),
  )

  app.get(
    '/sources',
    {
      config,
      schema: {
        tags,
        summary: 'Where each setting comes from.',
        response: { 200: conf.Sources, ...refusals(...denied) },
      },
    },
    () => readSources(deps),
  )

  app.get(
    '/schema',
    {
      config,
      schema: {
        tags,
        summary:
          'Every setting as it is declared: kind, limits, default, sentence, and what it is in the environment.',
        response: { 200: conf.Declared, ...refusals(...denied) },
      },
    },
    async () => ({ results: declared }),
  )

  app.post(
    '/',
    {
      // Where mails go to is where links for new passwords go to.
      config: { access: inPerson(admin) },
      schema: {
        tags,
        summary: 'Changes settings, on every pod within a second and without restart.',
        description:
          'A part of the tree. What is given is stored and counts before the environment; `null` removes what is stored, so that the environment or the default counts again. A secret that is blank or `********` is kept. A new `oauth.jwtSecret` voids every session, code, token and signing key, also the session of this request.',
        body: conf.Changes,
        response: { 200: conf.Changed, ...refusals(...denied, 'Conflict') },
      },
    },
    async (request) => {
      await changeConf(deps, actorOf(request), request.body)
      return { success: true }
    },
  )

  app.post(
    '/test-email',
    {
      config,
      schema: {
        tags,
        summary: 'Sends a mail now, and says what the mail server said.',
        body: conf.Test,
        response: { 200: conf.Tested, ...refusals(...denied) },
      },
    },
    (request) => testMail(deps, actorOf(request), request.body.to),
  )

  app.post(
    '/test-sms',
    {
      config,
      schema: {
        tags,
        summary: 'Sends an SMS now, and says what the SMS service said.',
        body: conf.Test,
        response: { 200: conf.Tested, ...refusals(...denied) },
      },
    },
    (request) => testSms(deps, actorOf(request), request.body.to),
  )
}
