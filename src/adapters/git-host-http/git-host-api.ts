import {
  type CommitStatus,
  type GitHostApi,
  type HostAccess,
  type HostKind,
  HostRefusal,
} from '#core/git/host-api.ts'
import type { Outbound } from '#core/ports/outbound.ts'

interface HostWords {
  /** The address of the API, by that of a repository. */
  readonly base: (repository: URL) => string
  readonly headers: (access: HostAccess) => Readonly<Record<string, string>>
  readonly status: (
    repository: string,
    status: CommitStatus,
  ) => { readonly path: string; readonly body: object }
  /** Where the comments of a pull request are. */
  readonly comments: (repository: string, number: number) => string
  /** Where one of them is, and how it is changed. */
  readonly change: (
    repository: string,
    number: number,
    id: string,
  ) => { readonly method: 'PATCH' | 'PUT'; readonly path: string }
  readonly list: (answer: unknown) => readonly { readonly id: string; readonly text: string }[]
  readonly body: (text: string) => object
}

type Json = Readonly<Record<string, unknown>>
const items = (answer: unknown): readonly Json[] => (Array.isArray(answer) ? (answer as Json[]) : [])
const encoded = (repository: string) => repository.split('/').map(encodeURIComponent).join('/')

const github: HostWords = {
  base: ({ origin, hostname }) => (hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`),
  headers: ({ token }) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  status: (repository, { commit, state, context, description, url }) => ({
    path: `/repos/${encoded(repository)}/statuses/${commit}`,
    body: { state, context, description, target_url: url },
  }),
  comments: (repository, number) => `/repos/${encoded(repository)}/issues/${number}/comments`,
  change: (repository, _number, id) => ({
    method: 'PATCH',
    path: `/repos/${encoded(repository)}/issues/comments/${id}`,
  }),
  list: (answer) => items(answer).map(({ id, body }) => ({ id: String(id), text: String(body) })),
  body: (body) => ({ body }),
}

const HOSTS: Readonly<Record<HostKind, HostWords>> = {
  github,
  gitea: {
    ...github,
    base: ({ origin }) => `${origin}/api/v1`,
    headers: ({ token }) => ({ authorization: `token ${token}` }),
  },
  gitlab: {
    base: ({ origin }) => `${origin}/api/v4`,
    headers: ({ token }) => ({ 'private-token': token }),
    status: (repository, { commit, state, context, description, url }) => ({
      path: `/projects/${encodeURIComponent(repository)}/statuses/${commit}`,
      body: {
        state: { pending: 'running', success: 'success', failure: 'failed' }[state],
        name: context,
        description,
        target_url: url,
      },
    }),
    comments: (repository, number) =>
      `/projects/${encodeURIComponent(repository)}/merge_requests/${number}/notes`,
    change: (repository, number, id) => ({
      method: 'PUT',
      path: `/projects/${encodeURIComponent(repository)}/merge_requests/${number}/notes/${id}`,
    }),
    list: github.list,
    body: github.body,
  },
  bitbucket: {
    base: ({ origin, hostname }) =>
      hostname === 'bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${origin}/2.0`,
    // A token of a repository goes with no user name, one of a person with theirs.
    headers: ({ username, token }) => ({
      authorization:
        username === 'git' || username === 'x-token-auth'
          ? `Bearer ${token}`
          : `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`,
    }),
    status: (repository, { commit, state, context, description, url }) => ({
      path: `/repositories/${encoded(repository)}/commit/${commit}/statuses/build`,
      body: {
        state: { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' }[state],
        key: context.slice(0, 40),
        name: context,
        description,
        url,
      },
    }),
    comments: (repository, number) => `/repositories/${encoded(repository)}/pullrequests/${number}/comments`,
    change: (repository, number, id) => ({
      method: 'PUT',
      path: `/repositories/${encoded(repository)}/pullrequests/${number}/comments/${id}`,
    }),
    list: (answer) =>
      items((answer as Json | null)?.values).map(({ id, content }) => ({
        id: String(id),
        text: String((content as Json | undefined)?.raw),
      })),
    body: (raw) => ({ content: { raw } }),
  },
}

const TIMEOUT_MS = 20_000
const MAX_ANSWER = 4 * 1024 * 1024
/** Comments of a pull request that are looked through for ours. */
const PAGES = 5
const PER_PAGE = 100

export function createGitHostApi({ outbound }: { readonly outbound: Pick<Outbound, 'send'> }): GitHostApi {
  async function call(
    access: HostAccess,
    { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
    signal: AbortSignal,
  ): Promise<unknown> {
    const repository = new URL(access.url)
    const words = HOSTS[access.kind]
    const { status, text } = await outbound.send({
      method,
      url: `${words.base(repository)}${path}`,
      headers: {
        'user-agent': 'Aloft',
        accept: 'application/json',
        ...words.headers(access),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? '' : JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER,
      signal,
    })
    if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text)
    // GitLab says so where the commit has this status already.
    if (access.kind === 'gitlab' && status === 400 && /cannot transition status/i.test(text)) return undefined
    const told = `${repository.hostname} answered ${method} ${path} with status ${status}`
    throw status === 429 || status >= 500 ? new Error(told) : new HostRefusal(told)
  }

  return {
    async setStatus(access, status, signal) {
      const { path, body } = HOSTS[access.kind].status(nameOf(access), status)
      await call(access, { method: 'POST', path, body }, signal)
    },

    async comment(access, number, { mark, body: text }, signal) {
      const words = HOSTS[access.kind]
      const at = words.comments(nameOf(access), number)
      const body = words.body(text)
      for (let page = 1; page <= PAGES; page++) {
        const paging =
          access.kind === 'bitbucket' ? `pagelen=${PER_PAGE}` : `per_page=${PER_PAGE}&limit=${PER_PAGE}`
        const found = words.list(
          await call(access, { method: 'GET', path: `${at}?${paging}&page=${page}` }, signal),
        )
        const ours = found.find((comment) => comment.text.includes(mark))
        if (ours?.text.trim() === text.trim()) return
        if (ours) {
          await call(access, { ...words.change(nameOf(access), number, ours.id), body }, signal)
          return
        }
        if (found.length < PER_PAGE) break
      }
      await call(access, { method: 'POST', path: at, body }, signal)
    },
  }
}

/** Such as `owner/name`. */
const nameOf = ({ url }: HostAccess): string =>
  decodeURIComponent(new URL(url).pathname).replace(/^\/+|\/+$|\.git\/?$/g, '')
