import { type HostAccess, type HostKind, HostRefusal } from '#core/git/host/host-api.ts'
import { type Json, object, text } from '#core/git/pull/pull-payload.ts'
import { type Outbound, OutboundFailure } from '#core/ports/outbound.ts'

export const items = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : [])

/** A path with a slash in each place where the name of a repository has one. */
export const encoded = (repository: string): string => repository.split('/').map(encodeURIComponent).join('/')

/** The address of the API, by that of the host or of one of its repositories. */
const BASES: Readonly<Record<HostKind, (url: URL) => string>> = {
  github: ({ origin, hostname }) =>
    hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`,
  gitea: ({ origin }) => `${origin}/api/v1`,
  gitlab: ({ origin }) => `${origin}/api/v4`,
  bitbucket: ({ origin, hostname }) =>
    hostname === 'bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${origin}/2.0`,
}

const HEADERS: Readonly<Record<HostKind, (access: HostAccess) => Readonly<Record<string, string>>>> = {
  github: ({ token }) => ({
    // What the manifest of an app became is asked for by the code alone.
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  gitea: ({ token }) => ({ authorization: `token ${token}` }),
  gitlab: ({ token }) => ({ 'private-token': token }),
  // A token of a repository or workspace goes with no user name, one of a person with theirs.
  bitbucket: ({ username, token }) => ({
    authorization:
      username === 'git' || username === 'x-token-auth'
        ? `Bearer ${token}`
        : `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`,
  }),
}

const TIMEOUT_MS = 20_000
const MAX_ANSWER = 4 * 1024 * 1024

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object | undefined
}

export interface HostAnswer {
  readonly body: unknown
  /** Whether the host has a further page of the list. */
  readonly hasNext: boolean
}

export type HostCall = (access: HostAccess, request: HostRequest, signal: AbortSignal) => Promise<HostAnswer>

export const createHostCall =
  ({ outbound }: { readonly outbound: Pick<Outbound, 'send'> }): HostCall =>
  async (access, { method, path, body }, signal) => {
    const url = new URL(access.url)
    const {
      status,
      text: answer,
      headers,
    } = await outbound
      .send({
        method,
        url: `${BASES[access.kind](url)}${path}`,
        headers: {
          'user-agent': 'Aloft',
          accept: 'application/json',
          ...HEADERS[access.kind](access),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? '' : JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER,
        signal,
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundFailure && error.reason === 'private-address')
          throw new HostRefusal(
            `${url.hostname} is at a private address, which the operator has not opened (ALOFT_PRIVATE_TARGETS)`,
            undefined,
          )
        throw error
      })
    const failure = `${url.hostname} answered ${method} ${path.split('?')[0]} with status ${status}`
    if (status >= 200 && status < 300) {
      const read = answer === '' ? undefined : parse(answer, failure)
      return { body: read, hasNext: hasNext(headers, read) }
    }
    // GitLab says so where the commit has this status already.
    if (access.kind === 'gitlab' && status === 400 && /cannot transition status/i.test(answer))
      return { body: undefined, hasNext: false }
    // GitHub answers 403 to those who have asked too often.
    const isLater = status === 429 || status >= 500 || headers['x-ratelimit-remaining'] === '0'
    throw isLater
      ? new Error(failure)
      : new HostRefusal(failure, status, Date.parse(headers.date ?? '') || undefined)
  }

function parse(answer: string, failure: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    // Such as the page of a host of another kind, or of a proxy in between.
    throw new HostRefusal(`${failure}, but not in JSON: it may be a host of another kind`, undefined)
  }
}

/** GitHub and Gitea say so in `link`, GitLab in `x-next-page`, Bitbucket in the answer itself. */
const hasNext = (headers: Readonly<Record<string, string>>, body: unknown): boolean =>
  /rel="next"/.test(headers.link ?? '') ||
  (headers['x-next-page'] ?? '') !== '' ||
  text(object(body).next) !== ''
