import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import * as api from '#contract/api/git.ts'
import type { RawReply } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import type { Origin } from '#contract/origins.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import { MINUTE } from '#contract/time.ts'
import type { Memberships } from '#core/access/authorise.ts'
import type { Context, Visit } from '#core/access/context.ts'
import {
  enterRepository,
  type GitService,
  isGitService,
  projectOfRepository as nameOf,
} from '#core/git/enter-repository.ts'
import { EMPTY_REPOSITORY, type GitRepositories } from '#core/git/git-repositories.ts'
import { inTurn } from '#core/git/git-turns.ts'
import { type ReceiveParts, receivePack } from '#core/git/protocol/receive-pack.ts'
import { branchOfRef, type Push } from '#core/git/push/push.ts'
import type { Pushes } from '#core/git/push/pushes.ts'
import type { PushRoom } from '#core/git/repository-room.ts'
import type { Tokens } from '#core/token/tokens.ts'
import type { Turns } from '#core/turns.ts'
import { challengeTo } from '../answer/challenge.ts'
import { readBearer } from '../request/authenticate.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { type AppRouteParts, appRoutes } from './app-routes.ts'
import { type ConnectionRouteParts, connectionRoutes } from './connection-routes.ts'
import { type HookRouteParts, hookRoutes } from './hook-routes.ts'
import { type SourceRouteParts, sourceRoutes } from './source-routes.ts'

export interface GitRouteParts
  extends HookRouteParts,
    AppRouteParts,
    ConnectionRouteParts,
    Omit<SourceRouteParts, 'projects'> {
  readonly pushes: Pushes
  readonly repositories: GitRepositories
  readonly follow: (push: Push, signal: AbortSignal) => AsyncIterable<string>
  readonly tokens: Pick<Tokens, 'authenticate'>
  readonly teams: Memberships
  readonly originOf: (host: string | undefined) => Origin
  /** The largest push. */
  readonly maxBytes: number
  /** The most branches and tags of a repository. */
  readonly maxRefs: number
  /** Of the runs of git, by account. */
  readonly turns: Turns
  readonly room: PushRoom
}

const text = (status: number, words: string, headers: Record<string, string> = {}): RawReply => ({
  type: 'text/plain; charset=utf-8',
  status,
  headers: { 'cache-control': 'no-cache', ...headers },
  body: `${words}\n`,
})

const NO_LFS =
  'Aloft does not store Git LFS objects. Keep these files in Git itself (`git lfs migrate export --include="*"`), or deploy from a host that stores them (`aloft git connect`) with Git LFS turned on in the project.'

const signIn = (headers: IncomingHttpHeaders) =>
  text(
    401,
    'Sign in with any user name and an API token as the password. Create one with `aloft tokens create`.',
    challengeTo(headers, 'Basic realm="Aloft", charset="UTF-8"'),
  )

/** The token of a request: the password of HTTP's basic scheme, or a bearer. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.authorization ?? '') ?? []
  if (encoded === undefined) return readBearer(headers) || undefined
  const given = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = given.indexOf(':')
  // Some tools can only say a user name.
  return given.slice(colon + 1) || given.slice(0, Math.max(colon, 0)) || undefined
}

export function gitRoutes(parts: GitRouteParts): readonly Route[] {
  async function enter(
    visit: Visit,
    account: string,
    headers: IncomingHttpHeaders,
    service: GitService,
  ): Promise<Context | undefined> {
    const token = tokenOf(headers)
    const actor = token === undefined ? undefined : await parts.tokens.authenticate(token)
    if (!actor) return undefined
    const owner = await enterRepository(parts.teams, actor, account, service)
    return { actor, owner, origin: parts.originOf(headers.host), log: visit.log }
  }

  /** Git shows its user what an answer in plain text says. */
  async function spoken(work: () => Promise<RawReply>): Promise<RawReply> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AloftError)) throw error
      const status = error.kind === 'forbidden' ? 404 : error.status
      return text(
        status,
        status === 404 ? 'There is no such repository, or this token has no access to it.' : error.message,
      )
    }
  }

  return [
    publicRoute(api.gitRefs, (visit, { params, query, headers }) =>
      spoken(async () => {
        const { service } = query
        if (!isGitService(service))
          return text(403, 'Only the smart protocol is supported. Use Git 1.6.6 or newer.')
        const ctx = await enter(visit, params.account, headers, service)
        if (!ctx) return signIn(headers)
        const project = await parts.pushes.find(ctx, nameOf(params.repository))
        if (!project && service === 'git-upload-pack')
          throw new AloftError('not_found', 'There is no such repository.')
        const id = project?.id ?? EMPTY_REPOSITORY
        await parts.repositories.ensure(id)
        const answer = await inTurn(parts.turns, ctx.owner.id, () =>
          parts.repositories.http(id, {
            method: 'GET',
            path: '/info/refs',
            query: `service=${service}`,
            protocol: protocolOf(headers),
            maxBytes: parts.maxBytes,
            signal: AbortSignal.timeout(MINUTE),
          }),
        )
        return reply(answer)
      }),
    ),

    publicRoute(api.gitUploadPack, (visit, { params, headers, body }) =>
      spoken(async () => {
        const ctx = await enter(visit, params.account, headers, 'git-upload-pack')
        if (!ctx) return signIn(headers)
        const project = await parts.pushes.find(ctx, nameOf(params.repository))
        if (!project) throw new AloftError('not_found', 'There is no such repository.')
        const gone = new AbortController()
        const answer = await inTurn(parts.turns, ctx.owner.id, () =>
          parts.repositories.http(project.id, {
            method: 'POST',
            path: '/git-upload-pack',
            query: '',
            contentType: headers['content-type'],
            protocol: protocolOf(headers),
            body: decompressed(body, headers),
            maxBytes: parts.maxBytes,
            signal: gone.signal,
          }),
        )
        answer.body.once('close', () => gone.abort())
        return reply(answer)
      }),
    ),

    publicRoute(api.gitReceivePack, (visit, { params, headers, body }) =>
      spoken(async () => {
        const ctx = await enter(visit, params.account, headers, 'git-receive-pack')
        if (!ctx) return signIn(headers)
        const name = nameOf(params.repository)
        const target = { find: () => parts.pushes.find(ctx, name), open: () => parts.pushes.open(ctx, name) }
        const serve: ReceiveParts['serve'] = (id, source, options) =>
          inTurn(parts.turns, ctx.owner.id, () =>
            parts.repositories.http(id, {
              method: 'POST',
              path: '/git-receive-pack',
              query: '',
              contentType: headers['content-type'],
              body: source,
              ...options,
            }),
          )
        const answer = await receivePack(
          { ...parts, serve, source: 'git' },
          ctx,
          target,
          decompressed(body, headers),
        )
        return {
          ...answer,
          type: 'application/x-git-receive-pack-result',
          headers: { 'cache-control': 'no-cache' },
        }
      }),
    ),

    publicRoute(api.gitLfsBatch, async () => ({
      type: 'application/vnd.git-lfs+json',
      status: 501,
      headers: { 'cache-control': 'no-cache' },
      body: JSON.stringify({ message: NO_LFS }),
    })),

    ...hookRoutes(parts),
    ...sourceRoutes(parts),
    ...connectionRoutes(parts),
    ...appRoutes(parts),
    route(api.listPushes, async (ctx, { params, query }) => {
      const page = await parts.pushes.list(ctx, params.idOrName, { limit: PAGE_LIMIT.current, ...query })
      return { pushes: mapPage(page, shown), pagination: page.pagination }
    }),
    route(api.getPush, async (ctx, { params }) =>
      shown(await parts.pushes.get(ctx, params.idOrName, params.id)),
    ),
    route(api.approvePush, async (ctx, { params }) =>
      shown(await parts.pushes.approve(ctx, params.idOrName, params.id)),
    ),
    route(api.runPushAgain, async (ctx, { params }) =>
      shown(await parts.pushes.again(ctx, params.idOrName, params.id)),
    ),
  ]
}

const shown = ({ ownerId, userId, options, pull, told, ...push }: Push) => ({
  ...push,
  branch: pull?.branch ?? branchOfRef(push.ref) ?? null,
  pullRequest: pull === null ? null : { number: pull.number, url: pull.url },
  notes: [...push.notes],
})

const protocolOf = (headers: IncomingHttpHeaders): string | undefined => {
  const said = headers['git-protocol']
  return typeof said === 'string' && /^[a-z0-9=:.-]{1,100}$/i.test(said) ? said : undefined
}

const reply = ({
  status,
  headers,
  body,
}: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}): RawReply => {
  const { 'content-type': type = 'application/octet-stream', ...rest } = headers
  return { type, status, headers: rest, body }
}

/** Git compresses some of what it asks. */
function decompressed(body: Readable, headers: IncomingHttpHeaders): AsyncIterable<Uint8Array> {
  const encoding = headers['content-encoding']
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return body
  return pipeline(body, createGunzip(), () => undefined)
}
