import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'

export type IssuerAnswer = {
  status: number
  body: unknown
  /** What it says the time is, undefined where it says nothing. */
  date: Date | undefined
  /** The address this machine asked from, as its own end of the connection has it. */
  from: string
}

/** Asks our own service at the address browsers use. Throws the error of the network, or an Error after `timeout` ms. */
export async function askIssuer(
  url: string,
  headers: Record<string, string>,
  timeout: number,
): Promise<IssuerAnswer> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const { promise, resolve, reject } = Promise.withResolvers<IssuerAnswer>()
  // A certificate that is not trusted is told by its own check; here it must not hide the rest.
  const options = { headers, signal: AbortSignal.timeout(timeout), rejectUnauthorized: false }
  const asked = request(url, options, (answer) => {
    const from = answer.socket.localAddress?.replace(/^::ffff:/, '') ?? ''
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('error', reject)
    answer.on('end', () => {
      const { date } = answer.headers
      resolve({
        status: answer.statusCode ?? 0,
        body: parsed(Buffer.concat(chunks).toString()),
        date: date ? new Date(date) : undefined,
        from,
      })
    })
  })
  asked.on('error', reject)
  asked.end()
  return promise
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
