import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { readConfig } from '#src/config.ts'
import type { Manifest } from './manifests.ts'
import { composeFile, filledIn, manifestsIn, project } from './manifests.ts'

type Environment = Record<string, string>
const base = await manifestsIn('deploy/kubernetes/base')

test('an upgrade, a drained machine and a quiet night leave two pods, and one that serves', async (t) => {
  const spec = (kind: string) => base.manifests.find((each) => each.kind === kind)?.spec
  t.match(spec('Deployment'), {
    replicas: 2,
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  })
  t.match(spec('PodDisruptionBudget'), { minAvailable: 1 })
  t.match(spec('HorizontalPodAutoscaler'), { minReplicas: 2, scaleTargetRef: { name: 'latchkey' } })
})

type Peers = { from?: object[]; to?: { ipBlock: object }[]; ports: { port: number | string }[] }[]

test('the network policy lets proxy and Prometheus in, and pods out to what their settings name', async (t) => {
  const of = (kind: string) => base.manifests.find((each) => each.kind === kind) as Manifest
  const { ingress, egress } = of('NetworkPolicy').spec as { ingress: Peers; egress: Peers }
  t.ok(ingress.every(({ from = [] }) => from.length > 0 && from.every((each) => 'namespaceSelector' in each)))
  const open = egress.flatMap(({ ports }) => ports.map(({ port }) => port))
  const data = of('ConfigMap').data as Environment
  const named = [data.app_ldap__url, data.app_redis__sentinels].join().split(',')
  const usual: Record<string, number> = { 'ldap:': 389, 'ldaps:': 636 }
  for (const each of named) {
    const { port, protocol } = new URL(each.includes('://') ? each : `tcp://${each}`)
    t.ok(open.includes(Number(port) || (usual[protocol] as number)), each)
  }
  for (const port of [53, 443, 587, 6379]) t.ok(open.includes(port), `${port}`)
  for (const { to = [] } of egress)
    for (const each of to) t.match(each.ipBlock, { except: ['169.254.0.0/16'] }, 'no metadata of the machine')
})

test('a pod that ends has its time, and what stands before it notices within that', async (t) => {
  const { data } = base.manifests.find(({ kind }) => kind === 'ConfigMap') as Manifest & { data: Environment }
  const drain = Number(data.app_listen__drain)
  const [deployment] = base.manifests.filter(({ kind }) => kind === 'Deployment') as [Manifest]
  const { template } = deployment.spec as { template: { spec: { containers: { readinessProbe: Probe }[] } } }
  const { periodSeconds, failureThreshold } = (template.spec.containers[0] as { readinessProbe: Probe })
    .readinessProbe
  t.ok(periodSeconds * (failureThreshold + 1) < drain, 'Kubernetes')
  const nginx = await readFile(join(project, 'deploy/nginx/nginx.conf'), 'utf8')
  const longest = 30
  const { services } = await composeFile('deploy/compose.yaml')
  for (const name of ['latchkey-1', 'latchkey-2']) {
    const { environment, stop_grace_period } = services[name] as {
      environment: Environment
      stop_grace_period: string
    }
    const { listen } = readConfig(
      Object.fromEntries(Object.entries(environment).map(([each, value]) => [each, filledIn(value)])),
    )
    t.ok(Number.parseInt(stop_grace_period, 10) > 2 * listen.drain + longest, name)
    t.ok(
      Number(/keepalive_timeout (\d+)s;/.exec(nginx)?.[1]) < listen.drain,
      'nginx keeps no connection longer',
    )
  }
})
type Probe = { periodSeconds: number; failureThreshold: number }

test('containers of the production compose file have no rights to spare, and none but nginx is reached from outside', async (t) => {
  const { services, networks } = (await composeFile('deploy/compose.yaml')) as Awaited<
    ReturnType<typeof composeFile>
  > & { networks: Record<string, unknown> }
  for (const [name, service] of Object.entries(services)) {
    t.match(service, { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
    t.equal('ports' in service, name === 'nginx', name)
    if (/^(nginx|latchkey)/.test(name)) t.match(service, { read_only: true, tmpfs: ['/tmp'] }, name)
    else t.same(service.networks, ['back'], name)
  }
  t.match(networks.back, { internal: true })
})

test('another pod is asked in the same cases by the Ingress as by nginx.conf, and never for a POST that one may have taken', async (t) => {
  const nginx = await readFile(join(project, 'deploy/nginx/nginx.conf'), 'utf8')
  const cases = [...nginx.matchAll(/^ +proxy_next_upstream (.+);$/gm)].map(([, words]) => words)
  t.same(cases, ['error timeout'], 'without non_idempotent')
  const { metadata } = base.manifests.find(({ kind }) => kind === 'Ingress') as Manifest & {
    metadata: { annotations: Environment }
  }
  t.equal(metadata.annotations['nginx.ingress.kubernetes.io/proxy-next-upstream'], cases[0])
  for (const file of base.files)
    t.notMatch(await readFile(join(project, 'deploy/kubernetes/base', file), 'utf8'), 'non_idempotent', file)
})
