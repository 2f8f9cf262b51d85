import Type from 'typebox'
import type { Found, Outcome, PluginType, RunContext } from '../type.ts'
import { addressFault } from './address.ts'

type Config = {
  url: string
  below: string
  kind?: 'service' | 'host'
  gone?: 'mark' | 'remove'
  apiVersion?: string
}
/** Of the Docker Engine API, what is looked at of a container in `GET /containers/json`. */
type Container = {
  Names?: string[]
  Image?: string
  State?: string
  Labels?: Record<string, string> | null
  Ports?: { PublicPort?: number; Type?: string }[] | null
}

const atOnce = 100
const texts = ['address', 'icon', 'tagline', 'docs'] as const

/** Keeps resources in step with the containers of a Docker Engine that have a label `latchkey.name`. */
export const docker: PluginType = {
  type: 'discovery/docker',
  category: 'discovery',
  name: 'Docker',
  description: 'Makes resources of the containers that are labelled for it.',
  configSchema: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048, description: 'Of the Docker Engine API.' }),
      below: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Slug of the resource they lie below.',
      }),
      kind: Type.Optional(Type.Enum(['service', 'host'], { description: 'Else service.' })),
      gone: Type.Optional(
        Type.Enum(['mark', 'remove'], { description: 'What becomes of one without container; else mark.' }),
      ),
      apiVersion: Type.Optional(Type.String({ pattern: '^1\\.[0-9]{2}$', description: 'Else 1.43.' })),
    },
    { additionalProperties: false },
  ),
  secrets: ['authorization'],
  needs: { resources: 'write', answerBytes: 4 * 2 ** 20 },
  validate: ({ url }) => addressFault(url),
  async run(context) {
    const { below, kind = 'service', gone = 'mark' } = context.config as Config
    const found = (await containers(context)).flatMap((container) => foundOf(container, kind, context.log))
    const there = new Set(found.map(({ source }) => source))
    const outcomes: Outcome[] = []
    for (const some of batches(found)) outcomes.push(...(await context.putResources(below, some)))
    const left = (await context.resourcesMade()).filter(({ source }) => !there.has(source))
    for (const some of batches(left))
      outcomes.push(
        ...(gone === 'remove'
          ? await context.removeResources(some.map(({ source }) => source))
          : await context.putResources(below, some.map(withoutContainer))),
      )
    tell(outcomes, context.log)
  },
}

async function containers({ config, secrets, request }: RunContext): Promise<Container[]> {
  const { url, apiVersion = '1.43' } = config as Config
  const asked = new URL(`${url.replace(/\/$/, '')}/v${apiVersion}/containers/json`)
  asked.search = new URLSearchParams({
    all: 'true',
    filters: JSON.stringify({ label: ['latchkey.name'] }),
  }).toString()
  const headers: Record<string, string> = secrets.authorization
    ? { authorization: secrets.authorization }
    : {}
  const { status, body } = await request(asked.href, { headers })
  const said = parsed(body)
  if (status !== 200)
    throw new Error(`Docker answered ${status}: ${(said as { message?: string } | null)?.message ?? ''}`)
  if (!Array.isArray(said)) throw new Error('The answer is no list of containers.')
  return said.filter((each) => typeof each === 'object' && each !== null)
}

/** Its name stays when the container is made anew; its id does not. */
function foundOf(
  { Names, Image, State, Labels, Ports }: Container,
  kind: Found['kind'],
  log: RunContext['log'],
): Found[] {
  // A link of old gives a second name, below another container's.
  const source = Names?.map((name) => String(name).replace(/^\//, '')).find((name) => !name.includes('/'))
  const label = (name: string) => Labels?.[`latchkey.${name}`]
  const name = label('name')
  if (!source || !name) {
    log(`passed over one without ${source ? 'label latchkey.name' : 'a name'}: ${source ?? Image}`)
    return []
  }
  const port = Number(label('port')) || lowest(Ports)
  const metadata: NonNullable<Found['metadata']> = { image: String(Image ?? '') }
  for (const text of texts) if (label(text)) metadata[text] = label(text)
  if (port) metadata.port = port
  if (label('public') === 'true') metadata.isPublic = true
  if (label('requestable') === 'true') metadata.requestable = true
  const description = label('description')
  return [
    {
      source,
      kind,
      name,
      ...(description ? { description } : {}),
      metadata,
      state: String(State ?? 'unknown'),
    },
  ]
}

/** Nothing that its labels said holds any more, above all not that everybody may reach it. */
function withoutContainer({ source, kind }: { source: string; kind: string }): Found {
  return { source, kind: kind as Found['kind'], metadata: {}, state: 'gone' }
}

function lowest(ports: Container['Ports']): number | undefined {
  return (ports ?? [])
    .flatMap(({ PublicPort, Type }) => (Type === 'tcp' && PublicPort) || [])
    .sort((a, b) => a - b)[0]
}

function tell(outcomes: Outcome[], log: RunContext['log']): void {
  for (const { source, outcome, why } of outcomes)
    if (outcome !== 'unchanged') log(`${outcome} ${source}${why ? `: ${why}` : ''}`)
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused').length
  log(`${outcomes.length} looked at`)
  if (refused > 0) throw new Error(`${refused} could not be kept in step: see the log.`)
}

function* batches<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += atOnce) yield all.slice(at, at + atOnce)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
