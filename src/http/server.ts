import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { finished, Readable, type Writable } from 'node:stream'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Endpoint, pathOf, type RawReply } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Origin } from '#contract/origins.ts'
import {
  authorise,
  type Memberships,
  refuseDisabled,
  resolveOwner,
  type TeamChoice,
} from '#core/access/authorise.ts'
import { type Actor, type Context, personalOwner, type Visit } from '#core/access/context.ts'
import { sourceOf } from '#core/access/network-of.ts'
import type { AuditEntry } from '#core/audit/audit.ts'
import { audited } from '#core/audit/audit-trail.ts'
import { pour } from '#core/chunks.ts'
import { onPeerEnd } from '#core/peer-end.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DataVersion } from '#core/ports/data-version.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sessions } from '#core/session/sessions.ts'
import type { Tokens } from '#core/token/tokens.ts'
import { createTurns, type GiveBack } from '#core/turns.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import { AnswerCache } from './answer/answer-cache.ts'
import { challengeTo } from './answer/challenge.ts'
import { speakError } from './answer/dialect.ts'
import { errorPage, PAGE_HEADERS } from './answer/page.ts'
import { retryAfterFor } from './answer/retry-after.ts'
import { serialiser } from './answer/serialise.ts'
import { auditEntryOf, isAudited } from './audit/audit-entry.ts'
import {
  type Allowance,
  exceededOf,
  type Limits,
  limitHeaderList,
  rateLimited,
  retryAfter,
} from './limits.ts'
import { authFailed, readBearer } from './request/authenticate.ts'
import { collect, DEFAULT_BODY_LIMIT, PUBLIC_BODY_LIMIT, parseBody } from './request/body.ts'
import { bodyMemory, type HeldBody } from './request/body-memory.ts'
import { createPathIndex } from './request/paths.ts'
import { RequestLog } from './request/request-log.ts'
import { createRouter } from './request/router.ts'
import { compileValidate } from './request/validate.ts'
import type { Route } from './route.ts'
import { createFindCaller } from './session/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    row: Endpoint | undefined
    /** What the endpoint does; undefined where there is none. */
    answer: Answer | undefined
    allowance: Allowance | undefined
    who: Context | Visit | undefined
    /** The version of the data before anything was read of them, where the answer may be kept. */
    readAt: number | undefined
    /** Of one with a large body: whoever comes next may be read. */
    endTurn: GiveBack | undefined
    /** What its body takes of the memory. */
    held: HeldBody | undefined
  }
}

interface ApiParts {
  readonly routes: readonly Route[]
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly teams: Memberships
  readonly limits: Limits
  readonly clock: Clock
  readonly dataVersion: DataVersion
  readonly log: Log
  /** `{base_url}`, for links in errors. */
  readonly site: string
  /** The origin that a host name stands for. */
  readonly originOf: (host: string | undefined) => Origin
  /** The plan that strangers are counted under. */
  readonly defaultPlan: Plan
  /** Remembers a change that was made outside of a transaction. */
  readonly addAudit: (entry: AuditEntry) => Promise<void>
  /** Somebody asked for an endpoint or a method that there is not. */
  readonly onUnknown?: (method: string, path: string) => void
  readonly observe?: (request: { route: string; method: string; status: number; seconds: number }) => void
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown

export type ApiHandler = (
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
) => void

/** Bodies of more than this are read two at a time for one account, because what is made of them is many times as large. */
const LARGE_BODY = 1024 * 1024
const LARGE_AT_ONCE = 2

const isLarge = ({ headers }: FastifyRequest, row: Endpoint): boolean => {
  const declared = headers['content-length']
  return declared === undefined ? row.bodyLimit !== undefined : Number(declared) > LARGE_BODY
}

/** The API as one request handler: every table mounted, one way in, one way out for errors. */
export async function createApi(parts: ApiParts): Promise<ApiHandler> {
  const { log, limits, clock, site } = parts
  const router = createRouter(parts.routes.map((route) => [reachedAt(route).on, prepared(route)]))
  let paths: ReturnType<typeof createPathIndex> | undefined
  const knownPath = (path: string) => {
    paths ??= createPathIndex(parts.routes.map(reachedAt))
    return paths(path)
  }
  const findCaller = createFindCaller(parts.sessions, site)
  const siteIsSecure = site.startsWith('https:')
  const boot = Math.random().toString(36).slice(2, 8)
  let count = 0
  const newId = () => `req_${boot}${(count++).toString(36)}`
  const kept = new AnswerCache({
    ...{ version: parts.dataVersion, limits, clock, site, newId },
    onAnswered: ({ id, row, route, status, ms }) => noteAnswered(id, row, route, 'GET', status, ms),
  })

  const app = fastify({
    logger: false,
    genReqId: newId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    frameworkErrors: (_error, request, reply) => {
      // A path that cannot be decoded belongs to no endpoint, but its answer still shows the allowance.
      return admit(request, reply).then(
        () => fail(request, reply, malformedPath()),
        (error) => fail(request, reply, error),
      ) as unknown as undefined
    },
  })
  app.decorateRequest('row', undefined)
  app.decorateRequest('answer', undefined)
  app.decorateRequest('allowance', undefined)
  app.decorateRequest('who', undefined)
  app.decorateRequest('readAt', undefined)
  app.decorateRequest('endTurn', undefined)
  app.decorateRequest('held', undefined)

  app.removeAllContentTypeParsers()
  const bodyTurns = createTurns(LARGE_AT_ONCE)
  const streamTurns = createTurns(LARGE_AT_ONCE)
  app.addContentTypeParser('*', (request, payload, done) => {
    const row = request.row
    if (row === undefined || row.body === 'raw') return done(null, payload)
    const turn = isLarge(request, row) ? takeTurn(request) : undefined
    const body = turn?.then(() => read(request, row, payload)) ?? read(request, row, payload)
    body.then(
      (it) => done(null, it),
      (error) => {
        letGo(request)
        done(error)
      },
    )
  })

  const read = (request: FastifyRequest, row: Endpoint, payload: Readable): Promise<unknown> => {
    const isStranger = row.access.kind === 'public'
    request.held = bodyMemory.hold({ id: callerOf(request), isStranger })
    const limit = row.bodyLimit ?? (isStranger ? PUBLIC_BODY_LIMIT : DEFAULT_BODY_LIMIT)
    return collect(payload as IncomingMessage, limit, request.held).then((bytes) => {
      charge(request, row, bytes.length)
      return parseBody(bytes, request.headers['content-type'], row)
    })
  }

  /** What its body was made into is of no use any more. */
  function letGo(request: FastifyRequest): void {
    request.endTurn?.()
    request.held?.release()
  }

  /** From before a large body is read until it is answered. It is left on the wire meanwhile, not in memory. */
  async function takeTurn(request: FastifyRequest): Promise<void> {
    request.endTurn = await bodyTurns.take(callerOf(request))
  }

  /** Every request passes here first: what is asked for? */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    let found: ReturnType<typeof router.find>
    try {
      found = router.find(request.method, request.raw.url ?? '/')
    } catch {
      await admit(request, reply)
      throw malformedPath()
    }
    if (found) {
      const { row, answer } = found.value()
      request.row = row
      request.answer = answer
      request.params = found.params
    }
    return admit(request, reply)
  }

  /** Who is it, how much may they ask, may they ask this. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { row } = request
    reply.header('x-request-id', request.id)
    const visit: Visit = {
      requestId: request.id,
      at: clock.now(),
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      secure: siteIsSecure || request.protocol === 'https',
      log: new RequestLog(log, request.id),
    }
    const needsToken = row !== undefined && row.access.kind !== 'public'
    const bearer = needsToken ? readBearer(request.headers) : undefined
    if (row?.keepable && bearer !== undefined && request.method === 'GET') request.readAt = kept.version()
    let found: Actor | undefined
    let ctx: Context | undefined
    let refusal: unknown
    if (needsToken)
      try {
        found =
          bearer === undefined
            ? await findCaller({ method: request.method, headers: request.headers, secure: visit.secure })
            : await parts.tokens.authenticate(bearer)
      } catch (error) {
        refusal = error
      }
    if (found && row)
      try {
        refuseDisabled(found)
        const team = teamOf(request, row)
        const owner = team ? await resolveOwner(found, team, parts.teams) : personalOwner(found.user)
        ctx = { actor: found, owner, origin: parts.originOf(request.headers.host), log: visit.log }
      } catch (error) {
        // Counted like any other request before it is told.
        refusal = error
      }

    const acts = ctx?.owner ?? found?.user
    const taken = limits.take(row, acts?.id ?? sourceOf(visit.ip), acts?.plan ?? parts.defaultPlan)
    const allowance = taken instanceof Promise ? await taken : taken
    showAllowance(request, reply, allowance)
    if (!allowance.allowed) throw rateLimited(allowance)
    if (!needsToken) {
      request.who = visit
      refuseNul(request)
      return
    }
    if (refusal) throw refusal
    if (!found || !ctx) throw authFailed(bearer)
    authorise(row, ctx.actor, ctx.owner)
    refuseNul(request)
    request.who = ctx
  }

  /** Nobody waits for it, and one that fails stops nobody. */
  function charge(request: FastifyRequest, row: Endpoint, bytes: number): void {
    limits
      .charge(row, callerOf(request), ownerOf(request)?.plan ?? parts.defaultPlan, bytes)
      .catch((err: unknown) => log.warn({ err }, 'a large request could not be counted'))
  }

  function showAllowance(request: FastifyRequest, reply: FastifyReply, allowance: Allowance): void {
    request.allowance = allowance
    const list = limitHeaderList(allowance)
    for (let n = 0; n < list.length; n += 2) reply.header(list[n] as string, list[n + 1])
    if (!allowance.allowed) reply.header('retry-after', retryAfter(allowance, clock))
  }

  async function fail(request: FastifyRequest, reply: FastifyReply, thrown: unknown): Promise<void> {
    const { row } = request
    const error = toAloftError(thrown)
    const exceeded = exceededOf(error)
    if (exceeded !== undefined) showAllowance(request, reply, exceeded)
    if (error.kind === 'internal_server_error' && isBrokenOff(request))
      log.debug({ err: thrown, request: request.id, route: row?.on }, 'a request was aborted by the client')
    else if (error.kind === 'internal_server_error')
      log.error({ err: thrown, request: request.id, route: row?.on }, 'a request failed')
    const known = row === undefined ? knownPath(askedPath(request))?.row : row
    const { status, body } = speakError(
      error.kind === 'internal_server_error'
        ? new AloftError(
            'internal_server_error',
            `Something went wrong on the server. The log has the details under ${request.id}.`,
          )
        : error,
      known,
      site,
    )
    if (error.kind === 'service_unavailable' && !reply.hasHeader('retry-after'))
      reply.header('retry-after', String(retryAfterFor(error.cause)))
    reply.code(status)
    // What is left of a body that was refused would have to be read before the next request on the connection can be.
    if (leavesMuchUnread(request.raw)) reply.header('connection', 'close')
    if (error.kind === 'invalid_client') reply.headers(challengeTo(request.headers, 'Basic realm="oauth"'))
    if (known?.page === true || (known?.page === 'by-accept' && acceptsPages(request))) {
      reply.headers(PAGE_HEADERS)
      return void reply.serializer(String).send(errorPage(status, error.message))
    }
    reply.header('content-type', JSON_TYPE)
    return void reply.serializer(JSON.stringify).send(body)
  }

  app.addHook('onRequest', find)
  app.setErrorHandler((error, request, reply) => fail(request, reply, error))
  const tellUnknown = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const path = askedPath(request)
    const known = knownPath(path)
    parts.onUnknown?.(request.method, path)
    const asked = `\`${request.method} ${path}\``
    if (!known) return fail(request, reply, new AloftError('not_found', `There is no endpoint ${asked}.`))
    const methods = known.methods.join(', ')
    reply.header('allow', methods)
    return fail(
      request,
      reply,
      new AloftError('method_unknown', `There is no endpoint ${asked}. This path accepts: ${methods}.`),
    )
  }
  app.setNotFoundHandler(tellUnknown)
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '*',
    handler: (request, reply) => (request.answer ?? tellUnknown)(request, reply),
  })
  app.addHook('onResponse', ({ id, row, method, held }, { statusCode, elapsedTime }, done) => {
    held?.release()
    noteAnswered(id, row, row ? pathOf(row) : 'unknown', method, statusCode, elapsedTime)
    done()
  })

  function noteAnswered(
    request: string,
    row: Endpoint | undefined,
    route: string,
    method: string,
    status: number,
    ms: number,
  ): void {
    parts.observe?.({ route, method, status, seconds: ms / 1000 })
    log.debug({ request, route: row?.on ?? 'unknown', method, status, ms: Math.round(ms) }, 'answered')
  }

  /** Made for the first request: most of the API is not asked for in the life of a process. */
  function prepared(route: Route): () => { readonly row: Endpoint; readonly answer: Answer } {
    let made: { readonly row: Endpoint; readonly answer: Answer } | undefined
    return () => {
      made ??= { row: route.endpoint, answer: prepare(route) }
      return made
    }
  }

  function prepare({ endpoint: row, handle }: Route): Answer {
    const { body, query, reply: form } = row
    const status = row.status ?? 200
    const audits = isAudited(row)
    const validators = {
      body: body !== undefined && body !== 'raw' ? compileValidate('body', body, row) : undefined,
      querystring: query === undefined ? undefined : compileValidate('querystring', query, row),
    }
    const serialise = typeof form === 'object' ? serialiser(form) : undefined
    return (request, reply) => {
      if (row.streamed) return stream(request, reply)
      const isHeld = request.endTurn !== undefined || request.held?.isCounted === true
      return isHeld
        ? (async () => answer(request, reply))().finally(() => letGo(request))
        : answer(request, reply)
    }

    /** A few at a time for one account, because what a large answer is made from is many times as large. */
    async function stream(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const endTurn = await streamTurns.take(callerOf(request))
      try {
        const { body, ...rest } = (await answer(request, reply)) as RawReply
        const all = counted(body as Readable, (bytes) => {
          endTurn()
          charge(request, row, bytes)
        })
        return sendAs('raw', reply, { ...rest, body: all })
      } catch (error) {
        endTurn()
        throw error
      }
    }

    function keeping(request: FastifyRequest, readAt: number) {
      return (answer: unknown): string => {
        const text = serialise?.(answer) ?? ''
        kept.keep(readAt, request.raw, row, request.who as Context, text)
        return text
      }
    }

    // Not async itself, and without a word after the use case where JSON is answered: fewer promises.
    function answer(request: FastifyRequest, reply: FastifyReply): unknown {
      const query = request.query as Record<string, unknown>
      if (validators.querystring) validators.querystring(query)
      // A request without any body has not met the parser.
      const input = validators.body
        ? (request.body ?? {})
        : body === 'raw'
          ? (request.body ?? request.raw)
          : request.body
      const checked = validators.body?.(input)
      const call = () =>
        handle(request.who as Context | Visit, {
          params: request.params,
          query: query as never,
          body: input as never,
          headers: request.headers,
        })
      const work = checked === undefined ? call : () => checked.then(call)
      const made = audits ? audited(entryOf(request, row, input), work, addAudit) : work()
      reply.code(status)
      if (serialise)
        reply
          .serializer(request.readAt === undefined ? serialise : keeping(request, request.readAt))
          .header('content-type', JSON_TYPE)
      if (row.noStore) reply.header('cache-control', 'no-store')
      return typeof form === 'object' || row.streamed
        ? made
        : Promise.resolve(made).then((it) => sendAs(form, reply, it))
    }
  }

  /** What was done cannot be taken back because this fails. */
  const addAudit = (entry: AuditEntry): Promise<void> =>
    parts
      .addAudit(entry)
      .catch((err: unknown) =>
        log.error({ err, ...entry }, 'a change could not be recorded in the audit log'),
      )

  const entryOf = (request: FastifyRequest, row: Endpoint, body: unknown): AuditEntry =>
    auditEntryOf(row, request.who as Context, {
      requestId: request.id,
      at: clock.now(),
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      params: request.params as Record<string, string>,
      body,
    })

  await app.ready()
  return (req, res) => {
    const otherwise = () => app.routing(req as IncomingMessage, res as ServerResponse)
    if (!kept.answer(req as IncomingMessage, res as ServerResponse, otherwise)) otherwise()
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

const malformedPath = () => invalidRequest('the path is malformed')

const reachedAt = ({ endpoint, at }: Route): Endpoint =>
  at === undefined ? endpoint : { ...endpoint, on: at as Endpoint['on'] }

/** Whoever sent it has left before the end: whatever fails because of that is no fault. */
const isBrokenOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

const ownerOf = ({ who }: FastifyRequest) => (who && 'owner' in who ? who.owner : undefined)

/** Whose allowance a request takes from. */
const callerOf = (request: FastifyRequest): string => ownerOf(request)?.id ?? sourceOf(request.ip)

/** Browsers ask for pages; programs that do not care get JSON. */
const acceptsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

function sendAs(form: 'empty' | 'html' | 'raw', reply: FastifyReply, answer: unknown): FastifyReply {
  if (form === 'empty') return reply.send('')
  if (form === 'html') return reply.headers(PAGE_HEADERS).send(answer)
  const { type, body, headers, status, endless } = answer as RawReply
  if (status !== undefined) reply.code(status)
  if (endless && body instanceof Readable) destroyWhenGone(reply, body)
  reply.headers({ ...headers, 'content-type': type } as Record<string, string | string[]>)
  if (!(body instanceof Readable)) return reply.send(body)
  if (reply.request.method !== 'HEAD') return reply.send(pouring(body))
  body.destroy()
  return reply.send('')
}

/** Fastify has what it is given piped: this way one large chunk is taken in a turn, and freed where nobody else has it. */
function pouring(body: Readable): Readable {
  return Object.assign(body, {
    pipe<W extends NodeJS.WritableStream>(to: W): W {
      pour(body, to as unknown as Writable)
      return to
    },
  })
}

/** Tells how much of it was read once there is no more, or nobody wants it any longer. */
function counted(body: Readable, onEnd: (bytes: number) => void): Readable {
  let bytes = 0
  async function* read(): AsyncGenerator<Buffer> {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      yield chunk
    }
  }
  const all = Readable.from(read(), { objectMode: false })
  finished(all, () => {
    body.destroy()
    onEnd(bytes)
  })
  return all
}

/** Over HTTP/1.x a connection stays open on our side, and would only tell when it is written to, twice. */
function destroyWhenGone({ request, raw }: FastifyReply, body: Readable): void {
  const { socket, httpVersionMajor } = request.raw
  if (httpVersionMajor !== 1) return
  raw.once(
    'close',
    onPeerEnd(socket, () => void body.destroy()),
  )
}

const askedPath = (request: FastifyRequest): string => {
  const url = request.raw.url ?? '/'
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** The team that a request asks to act for; most ask for none. */
function teamOf(request: FastifyRequest, row: Endpoint): TeamChoice | undefined {
  const query = request.query as Record<string, unknown>
  const teamId = single(query, 'teamId')
  const slug = row.teamBySlug ? single(query, 'slug') : undefined
  return teamId === undefined && slug === undefined ? undefined : { teamId, slug }
}

function single(query: Record<string, unknown>, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw invalidRequest(`\`${name}\` is given twice`)
  return value
}

const refuseNul = (request: FastifyRequest): void => {
  if (request.raw.url?.includes('%00')) throw invalidRequest('the URL contains a NUL character')
}

/** Whatever was thrown, as an error that can be answered. Driver and framework text stays inside. */
function toAloftError(thrown: unknown): AloftError {
  if (thrown instanceof AloftError) return thrown
  const { statusCode, message } = thrown as { statusCode?: unknown; message?: string }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new AloftError('bad_request', `Invalid request: ${message ?? 'it could not be read'}`)
  return new AloftError('internal_server_error', 'internal', {}, { cause: thrown })
}
