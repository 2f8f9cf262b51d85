import { error, ok, warning } from './findings.ts'

const seconds = { warning: 2, error: 30 }

/** How far another clock is ahead of ours; `coarse` for one that tells whole seconds. */
export function clockFinding(whose: string, aheadMilliseconds: number, coarse = false) {
  const off = Math.max(0, Math.abs(aheadMilliseconds) - (coarse ? 1000 : 0)) / 1000
  if (off < seconds.warning) return ok(`${whose} and this machine agree on the time`)
  const what = `${whose} is ${off.toFixed(1)} s ${aheadMilliseconds > 0 ? 'ahead of' : 'behind'} this machine`
  const why =
    'ID tokens, codes and proofs are refused as expired or not valid yet, and one-time codes end early.'
  const fix = 'Let chrony or systemd-timesyncd keep the time on every machine.'
  return (off < seconds.error ? warning : error)(what, why, fix)
}
