import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Attribute, Change } from 'ldapts'
import tap, { test } from 'tap'
import { onCluster } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { groupTools, plainLdap } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, dnOf, newGroup } = await groupTools(service)
const client = await plainLdap(service)
tap.teardown(() => client.unbind())
/** What may be remembered of a person (contract section 9). */
const freshMilliseconds = 1000

const groupsOf = async (token: string) =>
  (await request<{ groups: string[] }>('GET', '/api/user/me', { token })).body.groups.sort()
const effective = async (cn: string) =>
  (
    await request<{ results: { effective: string[]; via: object } }>(
      'GET',
      `/api/group/${cn}/effective?explain`,
      { token: admin },
    )
  ).body.results

function change(cn: string, operation: 'add' | 'delete', member: string) {
  const modification = new Attribute({ type: 'member', values: [member] })
  return client.modify(dnOf(cn), new Change({ operation, modification }))
}

async function live(): Promise<void> {
  for (let tries = 0; !service.deps.directory.graphIsLive && tries < 400; tries++) {
    await service.deps.groups.effectiveGroupsOf(dnOf('nothing'))
    await pause(25)
  }
}

test('changes of groups by other programs count within a second, for groups, effective members and rights', async (t) => {
  await live()
  const somebody = await newUser(admin)
  const [low, middle, top] = [await newGroup(), await newGroup(), await newGroup()]
  const show = async (expected: string[]) => {
    t.same(await groupsOf(somebody.token), expected.sort())
    const { status } = await request('GET', '/api/auth/lockout', { token: somebody.token })
    t.equal(status, expected.includes('app_sso_admin') ? 200 : 401)
    const { effective: members, via } = await effective(top)
    t.equal(members.includes(somebody.dn), expected.includes(top))
    t.equal(Object.hasOwn(via, somebody.dn), expected.includes(top))
  }
  const steps: [() => Promise<unknown>, string[]][] = [
    [() => change(low, 'add', somebody.dn), [low]],
    [() => change(middle, 'add', dnOf(low)), [low, middle]],
    [() => change(top, 'add', dnOf(middle)), [low, middle, top]],
    [() => change(low, 'add', dnOf(top)), [low, middle, top]],
    [() => change('app_sso_admin', 'add', dnOf(top)), [low, middle, top, 'app_sso_admin']],
    [() => change(middle, 'delete', dnOf(low)), [low]],
    [() => client.del(dnOf(low)), []],
  ]
  await show([])
  for (const [step, expected] of steps) {
    await step()
    await pause(freshMilliseconds)
    await show(expected)
  }
  t.ok(service.deps.directory.graphIsLive, 'answered from memory')
})

test('what the API changes counts at once on every pod, from memory too', async (t) => {
  const pod = await service.secondPod()
  t.teardown(() => pod[Symbol.asyncDispose]())
  const somebody = await newUser(admin)
  const [low, top] = [await newGroup(), await newGroup()]
  const onPod = async () =>
    (
      await pod.request<{ groups: string[] }>('GET', '/api/user/me', { token: somebody.token })
    ).body.groups.sort()
  const show = async (expected: string[]) => {
    t.same(await groupsOf(somebody.token), expected)
    // A Cluster passes a message on from node to node: until it is there, what is remembered may count.
    const told = async () => isDeepStrictEqual(await onPod(), expected)
    if (onCluster) await until('the pod is told', told, freshMilliseconds / 1000).catch(() => {})
    t.same(await onPod(), expected)
  }
  for (let n = 0; n < 10; n++) {
    await ask('PUT', `${low}/${somebody.uid}`)
    await show([low])
    await ask('PUT', `${top}/nested/${low}`)
    await show([low, top].sort())
    await ask('DELETE', `${top}/nested/${low}`)
    await ask('DELETE', `${low}/${somebody.uid}`)
    await show([])
  }
})

test('GET /metrics says whether effective groups are answered from memory; a setting switches it off', async (t) => {
  await live()
  const metrics = async (of: typeof request) => (await of('GET', '/metrics')).text
  t.match(await metrics(request), /^ldap_group_graph_live 1$/m)
  const pod = await service.secondPod({ app_ldap__groups__graph: 'false' })
  t.teardown(() => pod[Symbol.asyncDispose]())
  t.match(await metrics(pod.request), /^ldap_group_graph_live 0$/m)
})
