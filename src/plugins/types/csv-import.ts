import Type from 'typebox'
import type { PluginType } from '../type.ts'
import { addressFault } from './address.ts'

/** Fetches a CSV, and makes the people who are missing; who is there is updated where that is set. */
export const csvImport: PluginType = {
  type: 'sync/csv-import',
  category: 'sync',
  name: 'CSV import',
  description: 'Fetches a CSV of people, makes those who are missing and updates others where that is set.',
  configSchema: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048, description: 'Of the CSV, asked by GET.' }),
      existing: Type.Optional(
        Type.Enum(['keep', 'update'], { description: 'What becomes of who is there already; else keep.' }),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ['authorization'],
  needs: { people: 'write', answerBytes: 4 * 2 ** 20 },
  validate: ({ url }) => addressFault(url),
  async run({ config, secrets, log, request, planPeople, applyPeople }) {
    const { url, existing = 'keep' } = config as { url: string; existing?: 'keep' | 'update' }
    const headers: Record<string, string> = secrets.authorization
      ? { authorization: secrets.authorization }
      : {}
    const { status, body } = await request(url, { headers })
    if (status !== 200) throw new Error(`The source answered ${status}.`)
    const { people, steps, refused, refusedInAll } = await planPeople(body, existing)
    log(`${people} people read, ${steps} to make or change, ${refusedInAll} refused`)
    const late = []
    for (let left = steps; left > 0; ) {
      const done = await applyPeople()
      for (const uid of done.made) log(`made ${uid}`)
      for (const uid of done.changed) log(`changed ${uid}`)
      late.push(...done.refused)
      left -= done.made.length + done.changed.length + done.refused.length
    }
    for (const { at, field, reason } of [...refused, ...late]) log(`refused ${at}: ${field} ${reason}`)
    const all = refusedInAll + late.length
    if (all > 0) throw new Error(`${all} were refused: see the log.`)
  },
}
