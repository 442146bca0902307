import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import { exceededOf } from '../limits.ts'
import { showAllowance } from '../request/admit.ts'
import { askedPath } from '../request/api-request.ts'
import { challengeTo } from './challenge.ts'
import { speakError } from './dialect.ts'
import { errorPage, PAGE_HEADERS } from './page.ts'
import { retryAfterFor } from './retry-after.ts'
import { JSON_TYPE } from './send-as.ts'

interface FailParts {
  readonly log: Log
  readonly clock: Clock
  /** `{base_url}`, for links in errors. */
  readonly site: string
  /** The endpoint of a path, by whatever method. */
  readonly endpointAt: (path: string) => Endpoint | undefined
}

/** The one way in which a request is answered with an error, whatever was thrown. */
export function createFail({ log, clock, site, endpointAt }: FailParts) {
  return async function fail(request: FastifyRequest, reply: FastifyReply, thrown: unknown): Promise<void> {
    const { row } = request
    const error = toAloftError(thrown)
    const exceeded = exceededOf(error)
    if (exceeded !== undefined) showAllowance(request, reply, exceeded, clock)
    if (error.kind === 'internal_server_error' && isBrokenOff(request))
      log.debug({ err: thrown, request: request.id, route: row?.on }, 'a request was aborted by the client')
    else if (error.kind === 'internal_server_error')
      log.error({ err: thrown, request: request.id, route: row?.on }, 'a request failed')
    const known = row === undefined ? endpointAt(askedPath(request)) : row
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
}

/** Whoever sent it has left before the end: whatever fails because of that is no fault. */
const isBrokenOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** Browsers ask for pages; programs that do not care get JSON. */
const acceptsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

/** Whatever was thrown, as an error that can be answered. Driver and framework text stays inside. */
function toAloftError(thrown: unknown): AloftError {
  if (thrown instanceof AloftError) return thrown
  const { statusCode, message } = thrown as { statusCode?: unknown; message?: string }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new AloftError('bad_request', `Invalid request: ${message ?? 'it could not be read'}`)
  return new AloftError('internal_server_error', 'internal', {}, { cause: thrown })
}
