import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type GitHost, startGitHost } from './git-host.ts'

export const CONTRACT_KINDS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const
export type ContractKind = (typeof CONTRACT_KINDS)[number]

type Json = Record<string, unknown>

interface ContractRepository {
  readonly id: number
  readonly name: string
  readonly isPrivate: boolean
}

interface ContractPull {
  readonly number: number
  readonly branch: string
  readonly commit: string
  state: 'open' | 'closed'
  /** The path of the fork that it comes from. */
  readonly fork?: string
}

interface Hook {
  readonly id: string
  readonly repository: string
  readonly url: string
  readonly secret: string
  readonly events: unknown
}

interface Call {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: Json
}

/** A host as its users see it: what it holds, and what it was asked. */
export interface ContractHost extends Omit<GitHost, 'repository'> {
  readonly kind: ContractKind
  readonly token: string
  readonly repositories: ContractRepository[]
  readonly pulls: Map<string, ContractPull[]>
  readonly hooks: Hook[]
  readonly deployments: { readonly id: number; readonly body: Json; readonly states: Json[] }[]
  readonly calls: Call[]
  /** Whose tokens it takes. */
  readonly tokens: Set<string>
  /** Answers first, where it answers at all. */
  first: ((request: IncomingMessage, path: string, body: Json) => Answer | undefined) | undefined
  /** What calls are answered with, in the place of doing them. */
  refusal: number | undefined
  /** Where the installation really listens: in tests its address is only a name. */
  reaches: string | undefined
  /** Whether the token may not make webhooks. */
  withoutHooks: boolean
  /** Calls the address of a webhook as the host does; answers the status. */
  deliver(hook: Hook, headers: Record<string, string>, payload: object): Promise<number>
  /** Makes a repository with its entry in the list; answers where somebody at the host itself pushes to. */
  add(name: string, given?: { readonly isPrivate?: boolean }): Promise<string>
}

interface Asked {
  readonly match: readonly string[]
  readonly query: URLSearchParams
  readonly body: Json
}
export type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>]
type Row = readonly [
  on: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`,
  answer: (asked: Asked) => Answer | Promise<Answer>,
]

const USER = { id: 583231, name: 'octocat' }
const NOT_FOUND: Answer = [404, { message: 'Not Found' }]

/** What is not a letter of a pattern stands for itself; `:x` is one part of a path. */
const pattern = (on: string): RegExp =>
  new RegExp(`^${on.replace(/[.{}]/g, '\\$&').replaceAll(/:\w+/g, '([^/]+)')}$`)

/**
 * A host of repositories that answers as its published description says: where each thing is, with which status, in
 * which pages, for whoever has the token; git itself is served beside it.
 */
export async function startContractHost(kind: ContractKind): Promise<ContractHost> {
  const token = `token-of-${kind}`
  const state = {
    kind,
    token,
    repositories: [] as ContractRepository[],
    pulls: new Map<string, ContractPull[]>(),
    hooks: [] as Hook[],
    deployments: [] as ContractHost['deployments'],
    calls: [] as Call[],
    tokens: new Set([token]),
    first: undefined as ContractHost['first'],
    refusal: undefined as number | undefined,
    reaches: undefined as string | undefined,
    withoutHooks: false,
  }
  const find = (name: string) =>
    state.repositories.find((one) => one.name.toLowerCase() === name.toLowerCase() || String(one.id) === name)
  const withRepository = (name: string, answer: (repository: ContractRepository) => Answer): Answer => {
    const repository = find(name)
    return repository ? answer(repository) : NOT_FOUND
  }

  const deliver = async (hook: Hook, headers: Record<string, string>, payload: object) => {
    const body = JSON.stringify(payload)
    const hex = createHmac('sha256', hook.secret).update(body).digest('hex')
    const signed: Record<ContractKind, Record<string, string>> = {
      github: { 'x-hub-signature-256': `sha256=${hex}`, 'x-github-delivery': randomUUID() },
      gitea: { 'x-gitea-signature': hex, 'x-gitea-delivery': randomUUID() },
      gitlab: { 'x-gitlab-token': hook.secret, 'x-gitlab-event-uuid': randomUUID() },
      bitbucket: { 'x-hub-signature': `sha256=${hex}`, 'x-request-uuid': randomUUID() },
    }
    const { origin, pathname } = new URL(hook.url)
    const answer = await fetch(`${state.reaches ?? origin}${pathname}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...signed[kind], ...headers },
    })
    await answer.arrayBuffer()
    return answer.status
  }

  const addHook = (repository: string, given: Omit<Hook, 'id' | 'repository'>): Hook | undefined => {
    if (
      kind === 'github' &&
      state.hooks.some((one) => one.repository === repository && one.url === given.url)
    )
      return undefined
    const number = state.hooks.length + 12345678
    const hook = { ...given, repository, id: kind === 'bitbucket' ? `{${randomUUID()}}` : String(number) }
    state.hooks.push(hook)
    return hook
  }
  const removeHook = (id: string): Answer => {
    const at = state.hooks.findIndex((one) => one.id === id)
    if (at === -1) return NOT_FOUND
    state.hooks.splice(at, 1)
    return [204]
  }

  /** A page of a list with what the host says of the others. */
  function page(all: readonly unknown[], { query }: Asked, size: string, most: number): Answer {
    const per = Math.min(Number(query.get(size) ?? 30), most)
    const number = Number(query.get('page') ?? 1)
    const shown = all.slice((number - 1) * per, number * per)
    const hasNext = number * per < all.length
    const next = `${host.url}/next?page=${number + 1}`
    if (kind === 'bitbucket')
      return [200, { pagelen: per, values: shown, page: number, ...(hasNext ? { next } : {}) }]
    if (kind === 'gitlab')
      return [200, shown, { 'x-next-page': hasNext ? String(number + 1) : '', 'x-page': String(number) }]
    return [200, shown, hasNext ? { link: `<${next}>; rel="next", <${next}>; rel="last"` } : {}]
  }
  const wrapped = (key: string, [status, body, headers = {}]: Answer): Answer => [
    status,
    { ok: true, [key]: body },
    headers,
  ]
  const named = (part: string | null) =>
    state.repositories.filter(({ name }) => name.toLowerCase().includes((part ?? '').toLowerCase()))

  const likeGithub = ({ id, name, isPrivate }: ContractRepository) => ({
    id,
    name: name.split('/').at(-1),
    full_name: name,
    private: isPrivate,
    html_url: `${host.url}/${name}`,
    clone_url: `${host.url}/${name}.git`,
    default_branch: 'main',
    pushed_at: '2026-01-26T19:06:43Z',
    owner: { login: name.split('/')[0] },
  })
  const likeGitlab = ({ id, name, isPrivate }: ContractRepository) => ({
    id,
    path_with_namespace: name,
    web_url: `${host.url}/${name}`,
    http_url_to_repo: `${host.url}/${name}.git`,
    default_branch: 'main',
    visibility: isPrivate ? 'private' : 'public',
    last_activity_at: '2026-09-30T13:46:02Z',
  })
  const likeBitbucket = ({ id, name, isPrivate }: ContractRepository) => ({
    type: 'repository',
    uuid: `{${id}}`,
    full_name: name,
    is_private: isPrivate,
    mainbranch: { type: 'branch', name: 'main' },
    updated_on: '2026-09-30T13:46:02.123+00:00',
    links: { html: { href: `${host.url}/${name}` } },
  })
  const openPulls = (name: string) => (state.pulls.get(name) ?? []).filter((one) => one.state === 'open')

  const pullOfGithub = (repository: ContractRepository, { number, branch, commit, fork }: ContractPull) => ({
    number,
    state: 'open',
    title: `Pull request ${number}`,
    html_url: `${host.url}/${repository.name}/pull/${number}`,
    head: {
      ref: branch,
      sha: commit,
      repo: fork === undefined ? likeGithub(repository) : { id: 999, full_name: fork },
    },
    base: { ref: 'main', repo: likeGithub(repository) },
  })

  const githubRows = (sizes: string): readonly Row[] => [
    ['GET /user', () => [200, { id: USER.id, login: USER.name }]],
    [
      'GET /repos/:owner/:name',
      ({ match }) => withRepository(`${match[0]}/${match[1]}`, (one) => [200, likeGithub(one)]),
    ],
    [
      'POST /repos/:owner/:name/hooks',
      ({ match, body }) =>
        withRepository(`${match[0]}/${match[1]}`, ({ name }) => {
          const config = body.config as { url: string; secret: string; content_type: string }
          if (config?.content_type !== 'json' || !Array.isArray(body.events))
            return [422, { message: 'Validation Failed' }]
          const hook = addHook(name, { url: config.url, secret: config.secret, events: body.events })
          if (!hook)
            return [
              422,
              {
                message: 'Validation Failed',
                errors: [{ message: 'Hook already exists on this repository' }],
              },
            ]
          return [201, { id: Number(hook.id), active: true }]
        }),
    ],
    ['DELETE /repos/:owner/:name/hooks/:id', ({ match }) => removeHook(match[2] ?? '')],
    [
      'GET /repos/:owner/:name/pulls',
      (asked) =>
        withRepository(`${asked.match[0]}/${asked.match[1]}`, (one) =>
          page(
            openPulls(one.name).map((pull) => pullOfGithub(one, pull)),
            asked,
            sizes,
            100,
          ),
        ),
    ],
    ['POST /repos/:owner/:name/statuses/:sha', () => [201, {}]],
    ['GET /repos/:owner/:name/issues/:number/comments', () => [200, []]],
    ['POST /repos/:owner/:name/issues/:number/comments', () => [201, {}]],
  ]

  const ROWS: Readonly<Record<ContractKind, readonly Row[]>> = {
    github: [
      ...githubRows('per_page'),
      [
        'GET /installation/repositories',
        (asked) => {
          const [status, repositories, headers = {}] = page(
            state.repositories.map(likeGithub),
            asked,
            'per_page',
            100,
          )
          return [status, { total_count: state.repositories.length, repositories }, headers]
        },
      ],
      ['GET /user/repos', (asked) => page(state.repositories.map(likeGithub), asked, 'per_page', 100)],
      [
        'POST /repos/:owner/:name/hooks/:id/pings',
        ({ match }) => {
          const hook = state.hooks.find(({ id }) => id === match[2])
          if (!hook) return NOT_FOUND
          void deliver(
            hook,
            { 'x-github-event': 'ping' },
            { zen: 'Keep it logically awesome.', hook_id: Number(hook.id) },
          )
          return [204]
        },
      ],
      [
        'POST /repos/:owner/:name/deployments',
        ({ match, body }) =>
          withRepository(`${match[0]}/${match[1]}`, () => {
            const id = state.deployments.length + 1
            state.deployments.push({ id, body, states: [] })
            return [201, { id }]
          }),
      ],
      [
        'POST /repos/:owner/:name/deployments/:id/statuses',
        ({ match, body }) => {
          const found = state.deployments.find(({ id }) => String(id) === match[2])
          if (!found) return NOT_FOUND
          found.states.push(body)
          return [201, { id: 1 }]
        },
      ],
    ],
    gitea: [
      ...githubRows('limit'),
      [
        'GET /repos/search',
        (asked) =>
          asked.query.get('uid') === String(USER.id)
            ? wrapped('data', page(named(asked.query.get('q')).map(likeGithub), asked, 'limit', 50))
            : [200, { ok: true, data: [] }],
      ],
      [
        'POST /repos/:owner/:name/hooks/:id/tests',
        ({ match }) => {
          const hook = state.hooks.find(({ id }) => id === match[2])
          if (!hook) return NOT_FOUND
          void deliver(hook, { 'x-gitea-event': 'push' }, { ref: 'refs/heads/main' })
          return [204]
        },
      ],
    ],
    gitlab: [
      ['GET /user', () => [200, { id: USER.id, username: USER.name }]],
      [
        'GET /projects',
        (asked) =>
          asked.query.get('membership') === 'true'
            ? page(named(asked.query.get('search')).map(likeGitlab), asked, 'per_page', 100)
            : [200, []],
      ],
      ['GET /projects/:id', ({ match }) => withRepository(match[0] ?? '', (one) => [200, likeGitlab(one)])],
      [
        'POST /projects/:id/hooks',
        ({ match, body }) =>
          withRepository(match[0] ?? '', ({ name }) => {
            const { url, token: secret, push_events, merge_requests_events } = body
            const hook = addHook(name, {
              url: String(url),
              secret: String(secret),
              events: { push_events, merge_requests_events },
            })
            return [201, { id: Number(hook?.id), url }]
          }),
      ],
      ['DELETE /projects/:id/hooks/:hook', ({ match }) => removeHook(match[1] ?? '')],
      [
        'POST /projects/:id/hooks/:hook/test/push_events',
        async ({ match }) => {
          const hook = state.hooks.find(({ id }) => id === match[1])
          if (!hook) return NOT_FOUND
          const status = await deliver(hook, { 'x-gitlab-event': 'Push Hook' }, { object_kind: 'push' })
          return status < 300
            ? [201, { message: '201 Created' }]
            : [422, { message: `Hook execution failed: ${status}` }]
        },
      ],
      [
        'GET /projects/:id/merge_requests',
        (asked) =>
          withRepository(asked.match[0] ?? '', (one) =>
            page(
              openPulls(one.name).map(({ number, branch, commit, fork }) => ({
                iid: number,
                state: 'opened',
                title: `Merge request ${number}`,
                web_url: `${host.url}/${one.name}/-/merge_requests/${number}`,
                source_branch: branch,
                sha: commit,
                source_project_id: fork === undefined ? one.id : find(fork)?.id,
                target_project_id: one.id,
              })),
              asked,
              'per_page',
              100,
            ),
          ),
      ],
      ['POST /projects/:id/statuses/:sha', () => [201, {}]],
      [
        'POST /projects/:id/deployments',
        ({ match, body }) =>
          withRepository(match[0] ?? '', () => {
            const id = state.deployments.length + 1
            state.deployments.push({ id, body, states: [{ status: body.status }] })
            return [201, { id, environment: { id: id + 100, name: body.environment, external_url: null } }]
          }),
      ],
      [
        'PUT /projects/:id/deployments/:deployment',
        ({ match, body }) => {
          const found = state.deployments.find(({ id }) => String(id) === match[1])
          found?.states.push(body)
          return found ? [200, { id: found.id }] : NOT_FOUND
        },
      ],
      [
        'PUT /projects/:id/environments/:environment',
        ({ match, body }) => {
          state.deployments.find(({ id }) => String(id + 100) === match[1])?.states.push(body)
          return [200, {}]
        },
      ],
      [
        'POST /projects/:id/environments/:environment/stop',
        ({ match }) => {
          state.deployments.find(({ id }) => String(id + 100) === match[1])?.states.push({ stopped: true })
          return [200, {}]
        },
      ],
      ['GET /projects/:id/merge_requests/:iid/notes', () => [200, []]],
      ['POST /projects/:id/merge_requests/:iid/notes', () => [201, {}]],
    ],
    bitbucket: [
      ['GET /user', () => [200, { uuid: `{${USER.id}}`, username: USER.name, display_name: 'Octo Cat' }]],
      [
        'GET /repositories',
        (asked) => {
          const [, part] = /^full_name ~ "(.*)"$/.exec(asked.query.get('q') ?? '') ?? []
          return asked.query.get('role') === 'member'
            ? page(named(part ?? '').map(likeBitbucket), asked, 'pagelen', 100)
            : [200, { values: [] }]
        },
      ],
      [
        'GET /repositories/:owner/:name',
        ({ match }) => withRepository(`${match[0]}/${match[1]}`, (one) => [200, likeBitbucket(one)]),
      ],
      [
        'POST /repositories/:owner/:name/hooks',
        ({ match, body }) =>
          withRepository(`${match[0]}/${match[1]}`, ({ name }) => {
            const hook = addHook(name, {
              url: String(body.url),
              secret: String(body.secret),
              events: body.events,
            })
            return [201, { uuid: hook?.id, active: true }]
          }),
      ],
      ['DELETE /repositories/:owner/:name/hooks/:id', ({ match }) => removeHook(match[2] ?? '')],
      [
        'GET /repositories/:owner/:name/pullrequests',
        (asked) =>
          withRepository(`${asked.match[0]}/${asked.match[1]}`, (one) =>
            page(
              openPulls(one.name).map(({ number, branch, commit, fork }) => ({
                id: number,
                state: 'OPEN',
                title: `Pull request ${number}`,
                links: { html: { href: `${host.url}/${one.name}/pull-requests/${number}` } },
                source: {
                  branch: { name: branch },
                  commit: { hash: commit.slice(0, 12) },
                  repository: { full_name: fork ?? one.name },
                },
                destination: { branch: { name: 'main' }, repository: { full_name: one.name } },
              })),
              asked,
              'pagelen',
              50,
            ),
          ),
      ],
      ['POST /repositories/:owner/:name/commit/:sha/statuses/build', () => [201, {}]],
      ['GET /repositories/:owner/:name/pullrequests/:id/comments', () => [200, { values: [] }]],
      ['POST /repositories/:owner/:name/pullrequests/:id/comments', () => [201, {}]],
    ],
  }

  const BASE = { github: '/api/v3', gitea: '/api/v1', gitlab: '/api/v4', bitbucket: '/2.0' }[kind]
  const isSignedIn = ({ headers }: IncomingMessage): boolean =>
    ({
      github: state.tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''),
      gitea: headers.authorization === `token ${token}`,
      gitlab: headers['private-token'] === token,
      bitbucket:
        headers.authorization === `Bearer ${token}` ||
        headers.authorization === `Basic ${Buffer.from(`me@example.com:${token}`).toString('base64')}`,
    })[kind]

  async function api(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    if (!path.startsWith(`${BASE}/`)) return false
    const given = await text(request)
    const body = given === '' ? {} : (JSON.parse(given) as Json)
    const on = `${request.method} ${path.slice(BASE.length)}`
    const query = new URL(request.url ?? '/', 'http://host').searchParams
    const row = ROWS[kind]
      .map(([pattern_, answer]) => ({ match: pattern(pattern_).exec(on), answer }))
      .find(({ match }) => match !== null)
    const asked = { match: (row?.match ?? []).slice(1).map(decodeURIComponent), query, body }
    const [status, reply, headers = {}]: Answer =
      state.refusal !== undefined
        ? [state.refusal, { message: 'Refused' }]
        : (state.first?.(request, path.slice(BASE.length), body) ??
          (!isSignedIn(request)
            ? [401, { message: 'Bad credentials' }]
            : state.withoutHooks && path.endsWith('/hooks')
              ? [403, { message: 'Resource not accessible by personal access token' }]
              : ((await row?.answer(asked)) ?? NOT_FOUND)))
    state.calls.push({ method: request.method ?? '', path: path.slice(BASE.length), status, body })
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(reply === undefined ? undefined : JSON.stringify(reply))
    return true
  }

  const host = await startGitHost((password) => state.tokens.has(password), api)
  return Object.assign(state, {
    url: host.url,
    deliver,
    close: () => host.close(),
    async add(name: string, { isPrivate = true } = {}) {
      state.repositories.push({ id: state.repositories.length + 1, name, isPrivate })
      return host.repository(name)
    },
  })
}
