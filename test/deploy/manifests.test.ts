import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { validate as lint } from 'dockerfile-utils'
import { test } from 'tap'
import { exists } from '#quickstart/packages.ts'
import { readConfig } from '#src/config.ts'
import type { Manifest } from './manifests.ts'
import {
  composeFile,
  filledIn,
  manifestsIn,
  project,
  schemaFaults,
  secret,
  unknownFields,
} from './manifests.ts'

type Environment = Record<string, string>
const base = await manifestsIn('deploy/kubernetes/base')
const example = await manifestsIn('deploy/kubernetes/example')
const read = (path: string) => readFile(join(project, path), 'utf8')

test('the compose files follow the published schema of the compose specification', async (t) => {
  // As github.com/compose-spec/compose-go v2.16.2 carries it (Apache-2.0).
  const check = new Ajv2020({ strict: false, logger: false }).compile(
    JSON.parse(await read('test/deploy/compose-spec.json')),
  )
  for (const path of ['compose.yaml', 'deploy/compose.yaml']) {
    t.ok(check(await composeFile(path)), `${path} ${JSON.stringify(check.errors)}`)
    for (const [name, service] of Object.entries((await composeFile(path)).services)) {
      const { build } = service as { build?: string | { context: string; dockerfile?: string } }
      const folder = join(project, path, '..', typeof build === 'string' ? build : (build?.context ?? '.'))
      const file = typeof build === 'object' ? (build.dockerfile ?? 'Dockerfile') : 'Dockerfile'
      if (build) t.ok(await exists(join(folder, file)), `${path}: ${name} is built from what is there`)
    }
  }
  const wrong = { services: { x: { image: 'x', restrat: 'always' } } }
  t.notOk(check(wrong), 'a field that there is none of is found')
})

test('the settings that the compose files name are settings of the service, and none that it requires is missing', async (t) => {
  for (const path of ['compose.yaml', 'deploy/compose.yaml']) {
    const { services } = await composeFile(path)
    const pods = Object.values(services).filter(
      ({ environment }) => 'JWT_SECRET' in ((environment ?? {}) as object),
    )
    t.ok(pods.length > 0)
    for (const { environment } of pods) {
      const filled = Object.entries(environment as Environment).map(([name, value]) => [
        name,
        filledIn(value),
      ])
      t.equal(readConfig(Object.fromEntries(filled)).ldap.base, 'dc=example,dc=org')
    }
  }
})

test('every value that the production compose file asks for stands in example.env, and nothing else', async (t) => {
  const asked = [...(await read('deploy/compose.yaml')).matchAll(/\$\{(\w+)(:-)?/g)]
  const stands = [...(await read('deploy/example.env')).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(
    ([, name]) => name,
  )
  const names = new Set(asked.map(([, name]) => name))
  t.same(
    [...names].filter((name) => !stands.includes(name) && name !== 'SMTP_PORT'),
    [],
  )
  t.same(
    stands.filter((name) => !names.has(name)),
    [],
  )
})

test('pods, proxy and servers of the production compose file find each other', async (t) => {
  const { services } = await composeFile('deploy/compose.yaml')
  const text = JSON.stringify(services)
  const nginx = await read('deploy/nginx/nginx.conf')
  const addresses = ['latchkey-1', 'latchkey-2'].map(
    (name) =>
      (services[name] as { networks: { front: { ipv4_address: string } } }).networks.front.ipv4_address,
  )
  const upstream = [...nginx.matchAll(/^ +server ([\d.]+):(\d+)/gm)]
  t.same(
    upstream.map(([, address]) => address),
    addresses,
  )
  t.ok(upstream.every(([, , port]) => port === '3000'))
  const proxy = (services.nginx as { networks: { front: { ipv4_address: string } } }).networks.front
    .ipv4_address
  t.match(text, `"app_trust_proxy":"${proxy}"`)
  for (const [, host] of text.matchAll(/(?:ldap:\/\/|@|[",])((?:ldap|redis|sentinel)-\d):\d+/g))
    t.ok(host && host in services, `${host} is a service`)
})

test('the Kubernetes manifests follow the published schemas, field by field', async (t) => {
  const all = [...base.manifests, ...example.manifests]
  for (const manifest of all)
    t.same(await schemaFaults(manifest), [], `${manifest.kind} ${manifest.metadata.name}`)
  t.same(unknownFields(all), [])
  const [deployment] = all.filter(({ kind }) => kind === 'Deployment') as [Manifest]
  const wrong = structuredClone(deployment) as Manifest & { spec: Record<string, unknown> }
  t.match(
    (await schemaFaults({ ...wrong, spec: { ...wrong.spec, replicas: '2' } }))[0],
    /replicas must be integer/,
  )
  wrong.spec.replcas = 2
  t.match(unknownFields([wrong])[0], /replcas/)
})

test('Kustomize is given every manifest, and the pods find their settings', async (t) => {
  t.same((base.kustomization.resources as string[]).toSorted(), base.files)
  t.same((example.kustomization.resources as string[]).toSorted(), ['../base', ...example.files])
  const of = (kind: string) =>
    [...base.manifests, ...example.manifests].find((each) => each.kind === kind) as Manifest
  const { data } = of('ConfigMap') as unknown as { data: Environment }
  const { stringData } = of('Secret') as unknown as { stringData: Environment }
  t.throws(
    () => readConfig({ ...data, ...stringData }),
    /32 characters/,
    'not with the secrets of the example',
  )
  const config = readConfig({
    ...data,
    ...Object.fromEntries(
      Object.entries(stringData).map(([name, value]) => [name, value.replace('change-me', secret)]),
    ),
  })
  const { spec } = of('Deployment') as unknown as { spec: Deployment }
  t.ok(
    spec.template.spec.terminationGracePeriodSeconds > 2 * config.listen.drain + 30,
    'the end of a pod has its time',
  )
  const [container] = spec.template.spec.containers
  t.same(container?.envFrom, [{ configMapRef: { name: 'latchkey' } }, { secretRef: { name: 'latchkey' } }])
  t.same(container?.ports, [{ name: 'http', containerPort: config.listen.port }])
  const label = { 'app.kubernetes.io/name': 'latchkey' }
  t.same(spec.template.metadata.labels, label)
  t.same(spec.selector.matchLabels, label)
  t.same((of('Service') as unknown as { spec: { selector: object } }).spec.selector, label)
  for (const kind of ['PodDisruptionBudget', 'NetworkPolicy'])
    t.match(JSON.stringify(of(kind)), JSON.stringify(label))
})

type Deployment = {
  selector: { matchLabels: object }
  template: {
    metadata: { labels: object }
    spec: { terminationGracePeriodSeconds: number; containers: { envFrom: object; ports: object }[] }
  }
}

test('the pods are not root, write nowhere but /tmp, and are asked at the health endpoints', async (t) => {
  const [deployment] = base.manifests.filter(({ kind }) => kind === 'Deployment') as [Manifest]
  const { template } = deployment.spec as { template: { spec: Record<string, unknown> } }
  const matrix = JSON.parse(await read('test/access-matrix.json'))
  t.match(template.spec, {
    securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    automountServiceAccountToken: false,
    containers: [
      {
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
        livenessProbe: { httpGet: { path: '/healthz' } },
        startupProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
        volumeMounts: [{ mountPath: '/tmp' }],
      },
    ],
  })
  for (const path of ['/healthz', '/readyz', '/metrics']) t.equal(matrix[`GET ${path}`], 'anyone')
  t.match(await read('Dockerfile'), /^USER 1000:1000$/m)
})

test('the Dockerfiles pass a linter, and copy what is there', async (t) => {
  for (const path of ['Dockerfile', 'deploy/ldap/Dockerfile']) {
    const text = await read(path)
    t.same(
      lint(text).map(({ message, range }) => `${path}:${range.start.line + 1} ${message}`),
      [],
    )
    for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const source of sources.split(' ')) t.ok(await exists(join(project, source)), source)
  }
  t.ok(lint('FROM debian\nRUNN x').length > 0, 'an instruction that there is none of is found')
})
