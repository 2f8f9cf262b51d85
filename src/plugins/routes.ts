import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { admin, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import { pluginTypes } from './registry.ts'
import { askForRun, testInstance } from './runs.ts'
import * as of from './schemas.ts'
import {
  createInstance,
  instanceNamed,
  instancesOf,
  removeInstance,
  setSecrets,
  shown,
  updateInstance,
} from './service.ts'

const tags = ['plugin']
const config = { access: admin }
/** What runs where the service does is changed by people. */
const changing = { access: inPerson(admin) }
const answers = (...names: RefusalName[]) => refusals('Unauthorized', 'InsufficientPermission', ...names)
const params = of.InstanceId

/** Plugins (contract section 11). */
export async function pluginRoutes(app: App, deps: Deps) {
  app.get(
    '/types',
    {
      config,
      schema: { tags, summary: 'The types of plugins.', response: { 200: of.PluginTypes, ...answers() } },
    },
    async () => ({ results: pluginTypes.map((type) => ({ ...type, secrets: [...type.secrets] })) }),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'All instances, by name; never with a secret.',
        response: { 200: of.Listed, ...answers() },
      },
    },
    async () => ({ results: await instancesOf(deps) }),
  )

  app.post(
    '/',
    {
      config: changing,
      schema: {
        tags,
        summary: 'An instance of a type; with a cron and enabled its schedule is loaded.',
        body: of.NewInstance,
        response: { 200: of.Written, ...answers('AlreadyExists', 'Conflict') },
      },
    },
    async (request) => {
      const record = await createInstance(deps, actorOf(request), request.body)
      return { results: await shown(deps, record), message: 'The instance is made.' }
    },
  )

  app.get(
    '/:id',
    {
      config,
      schema: { tags, summary: 'One instance.', params, response: { 200: of.One, ...answers('NotFound') } },
    },
    async (request) => ({ results: await shown(deps, await instanceNamed(deps, request.params.id)) }),
  )

  app.put(
    '/:id',
    {
      config: changing,
      schema: {
        tags,
        summary: 'Changes what is given; `config` as a whole.',
        params,
        body: of.InstanceChanges,
        response: { 200: of.Written, ...answers('NotFound', 'AlreadyExists', 'Conflict') },
      },
    },
    async (request) => {
      const record = await updateInstance(deps, actorOf(request), request.params.id, request.body)
      return { results: await shown(deps, record), message: 'The instance is changed.' }
    },
  )

  app.put(
    '/:id/secrets',
    {
      config: changing,
      schema: {
        tags,
        summary: 'Sets, keeps or clears its secrets, each by itself.',
        params,
        body: of.SecretChanges,
        response: { 200: of.Written, ...answers('NotFound') },
      },
    },
    async (request) => {
      const record = await setSecrets(deps, actorOf(request), request.params.id, request.body)
      return { results: await shown(deps, record), message: 'The secrets are kept.' }
    },
  )

  for (const [path, enabled] of [
    ['load', true],
    ['unload', false],
  ] as const)
    app.post(
      `/:id/${path}`,
      {
        config: changing,
        schema: {
          tags,
          summary: enabled ? 'Adds its schedule.' : 'Removes its schedule.',
          params,
          response: { 200: of.Written, ...answers('NotFound', 'Conflict') },
        },
      },
      async (request) => {
        const { id } = request.params
        const record = await updateInstance(deps, actorOf(request), id, { enabled }, `plugin.${path}`)
        return { results: await shown(deps, record), message: `The schedule is ${path}ed.` }
      },
    )

  app.post(
    '/:id/run',
    {
      config: changing,
      schema: {
        tags,
        summary: 'Begins a run, on whichever pod is free; its outcome stands in the runs.',
        params,
        response: { 200: of.Began, ...answers('NotFound') },
      },
    },
    async (request) => {
      const run_id = await askForRun(deps, actorOf(request), request.params.id)
      return { results: { run_id }, message: 'The run begins.' }
    },
  )

  app.post(
    '/:id/test',
    {
      config: changing,
      schema: {
        tags,
        summary: 'Does its work once now, outside of its runs, and answers how that ended.',
        params,
        response: { 200: of.Tested, ...answers('NotFound') },
      },
    },
    async (request) => {
      const { error, log } = await testInstance(deps, actorOf(request), request.params.id)
      return { success: error === null, message: error ?? 'It works.', log }
    },
  )

  app.get(
    '/:id/runs',
    {
      config,
      schema: {
        tags,
        summary: 'Its last 100 runs, the newest first.',
        params,
        response: { 200: of.Runs, ...answers('NotFound') },
      },
    },
    async (request) => {
      const { id } = await instanceNamed(deps, request.params.id)
      const runs = await deps.store.plugins.history(id)
      return { results: runs.map(({ at, ...run }) => ({ ...run, started_at: at })) }
    },
  )

  app.delete(
    '/:id',
    {
      config: changing,
      schema: {
        tags,
        summary: 'Removes an instance with its secrets and runs.',
        params,
        response: { 200: of.Removed, ...answers('NotFound', 'Conflict') },
      },
    },
    async (request) => {
      await removeInstance(deps, actorOf(request), request.params.id)
      return { results: true, message: 'The instance is removed.' }
    },
  )
}
