import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { connect as connectTls } from 'node:tls'

export type Certificate = {
  validTo: Date
  /** Why Node does not trust it for this host, undefined when it does. */
  fault: string | undefined
}

/** ExtendedRequest with the name of StartTLS (RFC 4511 section 4.14), message 1. */
const startTls = Buffer.from(
  `301d02010177188016${Buffer.from('1.3.6.1.4.1.1466.20037').toString('hex')}`,
  'hex',
)

/**
 * The certificate that a server shows, whether it is trusted or not. `upgrade`: by StartTLS of LDAP. Throws the error of
 * the network, and an Error when it takes longer than `timeout` milliseconds or speaks no TLS.
 */
export async function certificateOf(
  ...[{ host, port }, { timeout, ca, upgrade = false }]: [
    { host: string; port: number },
    { timeout: number; ca?: Buffer | undefined; upgrade?: boolean },
  ]
): Promise<Certificate> {
  const signal = AbortSignal.timeout(timeout)
  const socket = connect({ host, port })
  using _socket = { [Symbol.dispose]: () => void socket.destroy() }
  socket.on('error', () => {})
  await once(socket, 'connect', { signal })
  if (upgrade) await upgraded(socket, signal)
  const secure = connectTls({
    ...{ socket, host, rejectUnauthorized: false },
    ...(ca ? { ca } : {}),
    ...(isIP(host) ? {} : { servername: host }),
  })
  secure.on('error', () => {})
  await once(secure, 'secureConnect', { signal })
  return shownBy(secure)
}

/** True where it says `success` (resultCode 0): the enumerated that follows the tags of message and response. */
async function upgraded(socket: Socket, signal: AbortSignal): Promise<void> {
  socket.write(startTls)
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer]
  if (!answer.subarray(0, 20).includes(Buffer.from([0x0a, 0x01, 0x00])))
    throw new Error('the server refuses StartTLS')
}

function shownBy(secure: TLSSocket): Certificate {
  const { valid_to } = secure.getPeerCertificate()
  if (!valid_to) throw new Error('the server shows no certificate')
  const { authorized, authorizationError } = secure
  return {
    validTo: new Date(valid_to),
    fault: authorized
      ? undefined
      : String((authorizationError as Error | undefined)?.message ?? authorizationError),
  }
}
