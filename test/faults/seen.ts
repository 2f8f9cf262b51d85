import type { Rig } from './rig.ts'

export type Seen = {
  act: string
  status: number
  /** By `performance.now()`. */
  began: number
  milliseconds: number
  body: Record<string, unknown>
  text: string
  /** Told apart: it follows from something that was lost, which is counted elsewhere. */
  follows?: boolean
}
export type Client = Pick<Rig, 'request' | 'login'>
/** When the answer came that said so, by `performance.now()`. */
type Dated = { at: number }
export type Made = { uid: string; password: string; mail: string } & Dated
export type Acknowledged = {
  users: Made[]
  groups: ({ name: string } & Dated)[]
  clients: ({ id: string } & Dated)[]
  sessions: ({ token: string } & Dated)[]
}

/** The answer that never came: nobody knows what became of the request. nginx says so in a pod's place. */
export const wasLost = ({ status, text }: Pick<Seen, 'status' | 'text'>) =>
  status === 0 || text.includes('The service does not answer')

/** What a load saw and was told. */
export type Evidence = {
  seen: Seen[]
  acknowledged: Acknowledged
  /** Whose making was answered with an error, or not at all: there, whole, or not there. */
  doubtful: { users: Made[]; groups: string[] }
  /** People who were told that they are not known. */
  strangers: Made[]
  refreshes: { rotated: number; answeredWithAnError: number; sessionsLostByALostAnswer: number }
  /** When the refresh tokens were given that were refused although each answer had come. */
  refused: number[]
  /** What went wrong, by act and answer. */
  failures(): Seen[]
}
export type Ask = (
  act: string,
  method: string,
  path: string,
  options?: object,
) => Promise<Seen & { at: number; entry: Seen }>
