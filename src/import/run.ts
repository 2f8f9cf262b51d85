import { readFile } from 'node:fs/promises'
import { fromDirectory, fromLdif, textOf } from '#src/connect.ts'
import type { Deps } from '#src/deps.ts'
import { applyPlan } from './apply.ts'
import type { Arguments } from './arguments.ts'
import { fromCsv } from './csv.ts'
import type { Refused } from './plan.ts'
import { planImport } from './plan.ts'
import { refusedLine, stepLine, totals } from './print.ts'
import type { Source } from './source.ts'
import { readState } from './state.ts'

type Needs = Parameters<typeof applyPlan>[0] & Pick<Deps, 'directory' | 'metrics'>

/**
 * Prints the difference that an import makes, and with `apply` makes it. Answers the exit status: 1 when something is
 * refused. `password` is that of the foreign directory.
 */
export async function runImport(
  deps: Needs,
  args: Arguments,
  password: string,
  print: (line: string) => void,
): Promise<0 | 1> {
  const before = await requestsOf(deps)
  const state = await readState(deps)
  const requests = (await requestsOf(deps)) - before
  const plan = await planImport(deps, state, sourceOf(args, password), args.options)
  for (const step of plan.steps) print(stepLine(step))
  for (const refused of plan.refused) print(refusedLine(refused))
  for (const line of totals(plan, requests)) print(line)
  if (!args.apply) {
    print('Nothing was changed. Do it with --apply.')
    return plan.refused.length > 0 ? 1 : 0
  }
  await deps.directory.prepare()
  const late: Refused[] = []
  let done = 0
  try {
    for await (const { refused } of applyPlan(deps, plan, args.options)) {
      if (refused) late.push(refused)
      else done++
      if (refused) print(refusedLine(refused))
    }
  } finally {
    print(`${done} of ${plan.steps.length} steps were done, ${late.length} were refused meanwhile.`)
    await deps.audit.settled()
  }
  return plan.refused.length + late.length > 0 ? 1 : 0
}

/** The password of the foreign directory, without the newline at its end. Throws where there is none. */
export async function passwordFor(
  { from }: Arguments,
  env: Record<string, string | undefined>,
): Promise<string> {
  if (from.kind !== 'ldap') return ''
  const { passwordFile } = from
  const text = passwordFile === undefined ? env.IMPORT_PASSWORD : await readFile(passwordFile, 'utf8')
  const password = text?.replace(/\r?\n$/, '')
  if (!password) throw new Error('Give the password of --bind-dn by --password-file or in IMPORT_PASSWORD.')
  return password
}

function sourceOf({ from, bases }: Arguments, password: string): AsyncIterable<Source> {
  if (from.kind !== 'ldap')
    return from.kind === 'csv' ? fromCsv(textOf(from.file)) : fromLdif(from.file, bases)
  const { url, startTLS, bindDN, base } = from
  return fromDirectory({ url, startTLS, identity: { dn: bindDN, password }, base, bases })
}

async function requestsOf({ metrics }: Pick<Deps, 'metrics'>): Promise<number> {
  const metric = await metrics.registry.getSingleMetric('upstream_round_trips_total')?.get()
  return metric?.values.find(({ labels }) => labels.system === 'ldap')?.value ?? 0
}
