import type { Brought, NewUser } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { planGroups } from './plan-groups.ts'
import { planPerson } from './plan-person.ts'
import type { Source, SourceGroup } from './source.ts'
import type { State } from './state.ts'

export type ImportOptions = {
  /** People and groups may come into `app_sso_*` groups. */
  permissionGroups?: boolean | undefined
  /** Whoever has a hash that is not verified here is imported without a password. */
  dropHashes?: boolean | undefined
  /** Whoever has a number that is taken or out of range gets another. */
  newNumbers?: boolean | undefined
}

export type Change = { field: string; from: string; to: string }

/** One thing that an import does. `at` is where the source says so. */
export type Step = { at: string } & (
  | { does: 'make person'; fields: Omit<NewUser, 'password' | 'brought'>; brought: Brought; password: string }
  | { does: 'change person'; uid: string; changes: Change[] }
  | { does: 'make group'; cn: string; description?: string | undefined; members: string[]; owners: string[] }
  | { does: 'add member' | 'add owner'; cn: string; uid: string }
  | { does: 'nest'; cn: string; child: string }
)

/** `reason` never repeats a value. */
export type Refused = { at: string; field: string; reason: string }

export type Plan = {
  steps: Step[]
  refused: Refused[]
  /** How many entries the source had. */
  source: { people: number; groups: number; passed: number }
  /** What the directory had. */
  read: State['read']
}

export type Planning = {
  deps: Pick<Deps, 'directory'>
  options: ImportOptions
  state: State
  /** Who of the source is who: DN keys, and names in lower case. */
  sourceDns: Map<string, { uid: string } | { cn: string }>
  /** uids of the source, in lower case, and where they stand. */
  seen: Map<string, string>
  plan: Plan
}

/**
 * What an import would do to what stands there (`readState`), by the rules that people and groups have in the API: nothing is written. Each step is judged as
 * if those before it were done. People whose fields differ are changed to what the source says; what it does not name
 * stays. Nobody is deleted, nothing is taken away, and who is there keeps their password and number.
 */
export async function planImport(
  deps: Pick<Deps, 'directory'>,
  state: State,
  source: AsyncIterable<Source>,
  options: ImportOptions = {},
): Promise<Plan> {
  const plan: Plan = {
    ...{ steps: [], refused: [], source: { people: 0, groups: 0, passed: 0 } },
    read: state.read,
  }
  const planning: Planning = { deps, options, state, sourceDns: new Map(), seen: new Map(), plan }
  const groups: SourceGroup[] = []
  for await (const item of source) {
    if (item.is === 'passed') plan.source.passed++
    else if (item.is === 'fault') {
      const { at, field, reason } = item
      plan.refused.push({ at, field, reason })
    } else if (item.is === 'group') groups.push(item)
    else {
      plan.source.people++
      const uid = await planPerson(planning, item)
      if (uid !== undefined)
        for (const cn of item.groups)
          groups.push({ is: 'group', at: item.at, cn, members: [{ uid }], owners: [] })
    }
  }
  plan.source.groups = new Set(groups.map(({ cn }) => cn.toLowerCase())).size
  planGroups(planning, groups)
  return plan
}
