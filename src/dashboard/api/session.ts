import { ApiError } from '#client/api-error.ts'
import { type Client, createClient } from '#client/client.ts'
import { getSession } from '#contract/api/session.ts'
import { getUser } from '#contract/api/user.ts'
import { connection } from './connection.ts'

let csrf: Promise<string> | undefined

const bare = createClient({ baseUrl: location.origin })

/** What proves that a change comes from this page; asked for once, and again after signing in anew. */
const csrfOfSession = (): Promise<string> => {
  csrf ??= bare.call(getSession).then((reply) => reply.csrf)
  csrf.catch(() => {
    csrf = undefined
  })
  return csrf
}

/** The browser adds the session's cookie by itself; a change says in addition that it comes from here. */
const fetchBySession: typeof fetch = async (input, init) => {
  const reads = init?.method === undefined || init.method === 'GET'
  const headers = new Headers(init?.headers)
  // Browsers name themselves.
  headers.delete('user-agent')
  if (!reads) headers.set('x-aloft-csrf', await csrfOfSession())
  const answer = await fetch(input, { ...init, headers, credentials: 'same-origin' })
  connection.regained()
  return answer
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
    return (await clientFor().call(getUser)).user
  } catch (error) {
    if (isSignedOut(error)) return undefined
    throw error
  }
}

export type User = NonNullable<Awaited<ReturnType<typeof findUser>>>
