import type { Deps } from '#src/deps.ts'

const sealMilliseconds = 2000
const trimMilliseconds = 3_600_000
const day = 86_400_000

/**
 * Seals the audit log every two seconds and removes what is older than `audit.retention_days` every hour, on whichever
 * pod is first. Disposing waits for the turn under way; what is left the next pod seals.
 */
export function startSealing({
  audit,
  config,
  log,
}: Pick<Deps, 'audit' | 'config' | 'log'>): AsyncDisposable {
  const { seals } = audit
  let trimmed = 0
  let turn = Promise.resolve()

  async function work(): Promise<void> {
    await seals.seal()
    if (Date.now() - trimmed < trimMilliseconds) return
    trimmed = Date.now()
    await seals.trim(Date.now() - config.audit.retention_days * day)
  }
  const next = () => {
    turn = turn
      .then(work)
      .catch((err) => log.warn({ err }, 'the audit log was not sealed; the next turn tries again'))
    return turn
  }
  const timer = setInterval(next, sealMilliseconds).unref()

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await turn
    },
  }
}
