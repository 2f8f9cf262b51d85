/** What a check found. `note`: worth knowing, or not to be known from here; it moves no alarm. */
export type Level = 'ok' | 'note' | 'warning' | 'error'
/** `what` is so; for everything but `ok` also why it matters and what mends it. None of the three holds a secret. */
export type Finding = { check: string; level: Level; what: string; why?: string; fix?: string }
export type Check = { name: string; run(): Promise<Omit<Finding, 'check'>[]> }
/** For monitors: the exit code by the worst finding. */
export const exitCodes: Record<Level, number> = { ok: 0, note: 0, warning: 1, error: 2 }

const checkMilliseconds = 20_000

export const ok = (what: string) => ({ level: 'ok', what }) as const
export const note = (what: string, why: string, fix: string) => ({ level: 'note', what, why, fix }) as const
export const warning = (what: string, why: string, fix: string) =>
  ({ level: 'warning', what, why, fix }) as const
export const error = (what: string, why: string, fix: string) => ({ level: 'error', what, why, fix }) as const

/** Runs all checks side by side. One that fails or hangs is a finding itself and holds up no other. */
export async function runAll(checks: Check[], milliseconds = checkMilliseconds): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map(async ({ name, run }) => {
      const findings = await within(milliseconds, run()).catch((cause) => [
        error(
          `could not be checked: ${reasonOf(cause)}`,
          'Nothing is known of it.',
          'Mend what the message says, and run npm run doctor again.',
        ),
      ])
      return findings.map((finding) => ({ check: name, ...finding }))
    }),
  )
  return found.flat()
}

export function worstOf(findings: Pick<Finding, 'level'>[]): Level {
  const order: Level[] = ['ok', 'note', 'warning', 'error']
  return order[Math.max(0, ...findings.map(({ level }) => order.indexOf(level)))] as Level
}

/** The innermost message: refusals speak to callers, and their causes to operators. */
export function reasonOf(cause: unknown): string {
  let inner = cause
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (!(inner instanceof Error)) return String(inner)
  const { code } = inner as NodeJS.ErrnoException
  return inner.name === 'AbortError' || inner.name === 'TimeoutError'
    ? 'no answer in time'
    : inner.message || String(code)
}

/** As lines for a terminal, the worst last. */
export function inWords(findings: Finding[]): string {
  const order: Level[] = ['ok', 'note', 'warning', 'error']
  const sorted = findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
  const lines = sorted.map(({ level, check, what, why, fix }) =>
    [
      `${level.padEnd(8)} ${check}: ${what}`,
      ...(why ? [`         why: ${why}`] : []),
      ...(fix ? [`         fix: ${fix}`] : []),
    ].join('\n'),
  )
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length
  return `${lines.join('\n')}\n\n${count('error')} errors, ${count('warning')} warnings, ${count('note')} notes, ${count('ok')} well.`
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
