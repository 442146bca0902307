import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Endpoint, pathOf } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { AuditEntry } from '#core/audit/audit.ts'
import type { DataVersion } from '#core/ports/data-version.ts'
import { AnswerCache } from './answer/answer-cache.ts'
import { createEndpointAnswer } from './answer/endpoint-answer.ts'
import { createFail } from './answer/fail.ts'
import { type AdmitParts, createAdmit } from './request/admit.ts'
import { type Answer, askedPath, callerOf, ownerOf } from './request/api-request.ts'
import { createPathIndex } from './request/paths.ts'
import { createReadBody } from './request/read-body.ts'
import { createRouter } from './request/router.ts'
import type { Route } from './route.ts'

interface ApiParts extends AdmitParts {
  readonly routes: readonly Route[]
  readonly dataVersion: DataVersion
  /** Remembers a change that was made outside of a transaction. */
  readonly addAudit: (entry: AuditEntry) => Promise<void>
  /** Somebody asked for an endpoint or a method that there is not. */
  readonly onUnknown?: (method: string, path: string) => void
  readonly observe?: (request: { route: string; method: string; status: number; seconds: number }) => void
}

export type ApiHandler = (
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
) => void

/** The API as one request handler: every table mounted, one way in, one way out for errors. */
export async function createApi(parts: ApiParts): Promise<ApiHandler> {
  const { log, limits, clock, site } = parts
  const router = createRouter(parts.routes.map((route) => [reachedAt(route).on, prepared(route)]))
  let paths: ReturnType<typeof createPathIndex> | undefined
  const knownPath = (path: string) => {
    paths ??= createPathIndex(parts.routes.map(reachedAt))
    return paths(path)
  }
  const boot = Math.random().toString(36).slice(2, 8)
  let count = 0
  const newId = () => `req_${boot}${(count++).toString(36)}`
  const kept = new AnswerCache({
    ...{ version: parts.dataVersion, limits, clock, site, newId },
    onAnswered: ({ id, row, route, status, ms }) => noteAnswered(id, row, route, 'GET', status, ms),
  })
  const admit = createAdmit(parts, () => kept.version())
  const readBody = createReadBody(charge)
  const answerOf = createEndpointAnswer({ ...parts, kept, charge })
  const fail = createFail({ log, clock, site, endpointAt: (path) => knownPath(path)?.row })

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
  app.removeAllContentTypeParsers()
  app.decorateRequest('row', undefined)
  app.decorateRequest('answer', undefined)
  app.decorateRequest('allowance', undefined)
  app.decorateRequest('who', undefined)
  app.decorateRequest('readAt', undefined)
  app.decorateRequest('endTurn', undefined)
  app.decorateRequest('held', undefined)

  // In the order in which a request meets them.
  app.addHook('onRequest', find)
  app.addContentTypeParser('*', (request, payload, done) => {
    const { row } = request
    if (row === undefined || row.body === 'raw') return done(null, payload)
    readBody(request, row, payload).then((body) => done(null, body), done)
  })
  app.setErrorHandler((error, request, reply) => fail(request, reply, error))
  app.setNotFoundHandler(answerUnknown)
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '*',
    handler: (request, reply) => (request.answer ?? answerUnknown)(request, reply),
  })
  app.addHook('onResponse', ({ id, row, method, held }, { statusCode, elapsedTime }, done) => {
    held?.release()
    noteAnswered(id, row, row ? pathOf(row) : 'unknown', method, statusCode, elapsedTime)
    done()
  })
  await app.ready()

  /** Every request passes here first: what is asked for? */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    readContentType(request)
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

  /** Nobody waits for it, and one that fails stops nobody. */
  function charge(request: FastifyRequest, row: Endpoint, bytes: number): void {
    limits
      .charge(row, callerOf(request), ownerOf(request)?.plan ?? parts.defaultPlan, bytes)
      .catch((err: unknown) => log.warn({ err }, 'a large request could not be counted'))
  }

  function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<void> {
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
      made ??= { row: route.endpoint, answer: answerOf(route) }
      return made
    }
  }

  return (req, res) => {
    const otherwise = () => app.routing(req as IncomingMessage, res as ServerResponse)
    if (!kept.answer(req as IncomingMessage, res as ServerResponse, otherwise)) otherwise()
  }
}

/**
 * Bodies are read by their content, so that a type that is none says no more than an absent one, which Fastify would
 * take. Of one that is there twice, the first counts.
 */
function readContentType({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type']
  if (type === undefined || MEDIA_TYPE.test(type)) return
  const [first = ''] = type.split(',')
  if (MEDIA_TYPE.test(first)) headers['content-type'] = first
  else delete headers['content-type']
}
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

const malformedPath = () => invalidRequest('the path is malformed')

const reachedAt = ({ endpoint, at }: Route): Endpoint =>
  at === undefined ? endpoint : { ...endpoint, on: at as Endpoint['on'] }
