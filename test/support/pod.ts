import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from './bare.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const firstLine = /First administrator: .*\(shown once\): (\S+)\n/

/**
 * `src/main.ts`, or what was made of it, as an operator starts it, on a fresh directory or (`joins`) beside other pods. What it says is kept, but
 * for the line with the first administrator's password, which is no log line.
 */
export async function startPod(
  environment: Record<string, string>,
  stack: AsyncDisposableStack,
  { joins = false, entry = main } = {},
) {
  const pod: ChildProcess = spawn(process.execPath, [entry], {
    env: { ...bareEnvironment, ...environment },
  })
  stack.defer(() => {
    pod.kill('SIGKILL')
  })
  let said = ''
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [pod.stdout, pod.stderr])
      stream?.on('data', (chunk) => {
        said += chunk
        if (/listening/.test(said) && (joins || firstLine.test(said))) resolve()
      })
    pod.once('exit', () => reject(new Error(said)))
  })
  await listening
  const password = firstLine.exec(said)?.[1] as string
  return { process: pod, password, said: () => said.replace(firstLine, '') }
}
