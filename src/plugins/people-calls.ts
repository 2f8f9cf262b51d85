import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { applyPlan } from '#src/import/apply.ts'
import { fromCsv } from '#src/import/csv.ts'
import type { Refused, Step } from '#src/import/plan.ts'
import { planImport } from '#src/import/plan.ts'
import type { Source } from '#src/import/source.ts'
import { readState } from '#src/import/state.ts'
import type { Calls } from './type.ts'

export type PeopleDeps = Parameters<typeof applyPlan>[0] & Pick<Deps, 'directory'>
/** What a CSV comes to, before anything is done; of what is refused the first hundred. */
export type PlannedPeople = { people: number; steps: number; refused: Refused[]; refusedInAll: number }
export type DonePeople = { made: string[]; changed: string[]; refused: Refused[] }

export const mostCsv = 4 * 2 ** 20
const mostSteps = 50
const mostTold = 100

/** People of a CSV, by the plan and the steps of `npm run import`: a run plans once, and has a few steps done at a time. */
export function peopleCalls(deps: PeopleDeps, actor: string) {
  let steps: Step[] = []
  return {
    async planPeople(csv, existing) {
      if (typeof csv !== 'string' || csv.length > mostCsv)
        throw new Refusal('InvalidInput', `The CSV must be a text of at most ${mostCsv} characters.`)
      const plan = await planImport(deps, await readState(deps), peopleOnly(fromCsv(sliced(csv))))
      const wanted = existing === 'update' ? ['make person', 'change person'] : ['make person']
      steps = plan.steps.filter(({ does }) => wanted.includes(does))
      const told: PlannedPeople = {
        ...{ people: plan.source.people, steps: steps.length },
        ...{ refused: plan.refused.slice(0, mostTold), refusedInAll: plan.refused.length },
      }
      return told
    },
    async applyPeople() {
      const done: DonePeople = { made: [], changed: [], refused: [] }
      const some = { steps: steps.splice(0, mostSteps) }
      for await (const { step, refused } of applyPlan(deps, some, { actor }))
        if (refused) done.refused.push(refused)
        else if (step.does === 'make person') done.made.push(step.fields.uid)
        else if (step.does === 'change person') done.changed.push(step.uid)
      return done
    },
  } satisfies Partial<Calls>
}

/** Who may what is for administrators to say, and a password for its owner. */
async function* peopleOnly(sources: AsyncIterable<Source>): AsyncGenerator<Source> {
  for await (const source of sources)
    if (source.is === 'person') {
      const { password: _, ...person } = source
      yield { ...person, groups: [] }
    } else yield source
}

/** Other work of the pod has its turn between the parts. */
async function* sliced(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536)
}
