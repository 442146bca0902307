import { ApiError } from '#client/api-error.ts'
import { type Client, createClient } from '#client/client.ts'
import { getSession } from '#contract/api/session.ts'
import { getUser } from '#contract/api/user.ts'
import { connection } from './connection.ts'

let csrf: Promise<string> | undefined
/** Whose pages these are, until they are loaded again. */
let userId: string | undefined

const bare = createClient({ baseUrl: location.origin })

/** What proves that a change comes from this page; asked for once for a session. */
const csrfOfSession = (): Promise<string> => {
  csrf ??= bare.call(getSession).then((reply) => reply.csrf)
  csrf.catch(() => {
    csrf = undefined
  })
  return csrf
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
  const proof = reads ? undefined : await csrfOfSession()
  const answer = await send(proof)
  connection.regained()
  if (proof === undefined || (answer.status !== 401 && answer.status !== 403)) return answer
  return (await signedInAnew(proof)) ? sendAsBefore(() => csrfOfSession().then(send)) : answer
}

/** Whether the browser has another session by now, as after signing in again in another tab. */
async function signedInAnew(before: string): Promise<boolean> {
  csrf = undefined
  return csrfOfSession().then(
    (now) => now !== before,
    () => false,
  )
}

/** What one person has filled in is not saved by another. */
async function sendAsBefore(send: () => Promise<Response>): Promise<Response> {
  const { user } = await bare.call(getUser)
  if (user.id === userId) return send()
  const message = `You’re signed in as ${user.username} in another tab now. Reload this page to go on as ${user.username}.`
  return Response.json({ error: { code: 'forbidden', message } }, { status: 403 })
}

/** The one caller of the API, for an account: a team, or without one the person's own. */
export const clientFor = (teamId?: string): Client =>
  createClient({ baseUrl: location.origin, teamId, fetch: fetchBySession })

/** Where somebody signs in, to come back to this very page. */
export const loginAddress = (): string =>
  `/login?next=${encodeURIComponent(location.pathname + location.search)}`

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
