import { ApiError } from '#client/api-error.ts'
import { type Client, createClient } from '#client/client.ts'
import { getSession } from '#contract/api/session.ts'
import { getUser } from '#contract/api/user.ts'
import { connection } from './connection.ts'

let csrf: Promise<string> | undefined
/** Whose pages these are, until they are loaded again. */
let userId: string | undefined

const bare = createClient({ baseUrl: location.origin })

/** What one person has filled in is not saved by another. */
class OtherPerson extends ApiError {
  constructor(name: string) {
    super({
      status: 403,
      code: 'forbidden',
      message: `You’re signed in as ${name} in another tab now. Reload this page to go on as ${name}.`,
    })
  }
}

/** What proves that a change comes from this page; asked for once for a session. */
const csrfOfSession = (): Promise<string> => {
  csrf ??= askForCsrf()
  csrf.catch(() => {
    csrf = undefined
  })
  return csrf
}

async function askForCsrf(): Promise<string> {
  const [session, { user }] = await Promise.all([bare.call(getSession), bare.call(getUser)])
  if (userId !== undefined && user.id !== userId) throw new OtherPerson(user.username)
  return session.csrf
}

/** The browser adds the session's cookie by itself; a change says in addition that it comes from here. */
const fetchBySession: typeof fetch = async (input, init) => {
  const send = (proof?: string): Promise<Response> => {
    const headers = new Headers(init?.headers)
    // Browsers name themselves.
    headers.delete('user-agent')
    if (proof !== undefined) headers.set('x-aloft-csrf', proof)
    return fetch(input, { ...init, headers, credentials: 'same-origin' })
  }
  const reads = init?.method === undefined || init.method === 'GET'
  try {
    const proof = reads ? undefined : await csrfOfSession()
    const answer = await send(proof)
    connection.regained()
    if (proof === undefined || (answer.status !== 401 && answer.status !== 403)) return answer
    // The session may be another by now, as after signing in again in another tab.
    csrf = undefined
    const now = await csrfOfSession().catch((error: unknown) => {
      if (error instanceof OtherPerson) throw error
    })
    return now === undefined || now === proof ? answer : await send(now)
  } catch (error) {
    if (error instanceof ApiError) return answerOf(error)
    throw error
  }
}

/** What was answered to the question for the proof is the answer to the change: a failed fetch would mean that there was none. */
function answerOf({ code, message, status, extra, requestId, retryAfterMs }: ApiError): Response {
  const headers = new Headers()
  if (requestId !== undefined) headers.set('x-request-id', requestId)
  if (retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)))
  return Response.json({ error: { ...extra, code, message } }, { status, headers })
}

/** The one caller of the API, for an account: a team, or without one the person's own. */
export const clientFor = (teamId?: string): Client =>
  createClient({ baseUrl: location.origin, teamId, fetch: fetchBySession })

/** Where somebody signs in, to come back to this very page. */
export const loginAddress = (): string =>
  `/login?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || (error.status === 403 && error.code === 'forbidden'))

/** Who is signed in, or undefined. */
export async function findUser() {
  try {
    const { user } = await clientFor().call(getUser)
    userId ??= user.id
    return user
  } catch (error) {
    if (isSignedOut(error)) return undefined
    throw error
  }
}

export type User = NonNullable<Awaited<ReturnType<typeof findUser>>>
