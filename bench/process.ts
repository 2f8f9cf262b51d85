import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU time a process has used so far, user and system, of all its threads (thread pool, garbage collector), in
 * microseconds: nanoseconds of the scheduler where the kernel tells them, else clock ticks.
 */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  try {
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000
  } catch {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  }
}

export type Memory = {
  /** Proportional set size: shared pages divided among their users. MiB. */
  pss: number
  /** Resident set size, MiB. */
  rss: number
}

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / 1024
  return { pss: of('Pss'), rss: of('Rss') }
}

export type Process = { pid: number; parent: number; command: string }

/** A process and all its descendants. */
export function treeOf(root: number): Process[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const processes = all.flatMap((name) => processOf(Number(name)) ?? [])
  const tree = processes.filter(({ pid }) => pid === root)
  for (const one of tree) tree.push(...processes.filter(({ parent }) => parent === one.pid))
  return tree
}

function processOf(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, parent, command }
  } catch {
    return undefined
  }
}
