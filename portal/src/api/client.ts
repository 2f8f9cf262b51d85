import createClient from 'openapi-fetch'
import type { paths } from '../../generated/api.d.ts'
import { signInAgain, takeOpenSteps } from '../app/session.ts'
import { Failure } from './failure.ts'

/**
 * The public API, typed from its own document. The session rides in the cookie, which no script can read; the browser
 * sends the origin by which the service knows its own pages.
 */
export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' })

type Answer<T> = { data?: T; error?: unknown; response: Response }

/**
 * The body of an answer of 2xx. Throws a Failure for every other and for no answer at all. A session that has ended
 * leads to the sign-in page, from where one comes back: nothing is answered then.
 */
export async function ok<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked.catch((cause: unknown) => {
    throw new Failure({ status: 0, name: 'Unreachable', message: '' }, { cause })
  })
  if (response.ok) return data as T
  const { name = 'InternalError', message = '', id } = (error ?? {}) as Partial<Failure> & { id?: string }
  if (name === 'Unauthorized') return signInAgain()
  if (name === 'OnboardingRequired') return takeOpenSteps()
  const requestId = id ?? response.headers.get('x-request-id') ?? undefined
  throw new Failure({ status: response.status, name, message, ...(requestId ? { requestId } : {}) })
}
