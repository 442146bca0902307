import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { acceptedEncodings } from '../file/encoding.ts'
import { pickRepresentation } from '../file/representation.ts'
import { hostNameOf } from '../request/host.ts'
import { plainAddress } from '../request/plain-address.ts'
import { rawPathOf } from '../request/request-path.ts'
import type { Shared } from '../shared.ts'
import type { SiteEntry } from '../site/site-entry.ts'
import { stampHeaders } from '../stamp.ts'

export interface FastStreams {
  /** Answers a GET request for a file in memory. False when the stream is anything else; it is then untouched. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean
}

export function createFastStreams(shared: Shared): FastStreams {
  const { sites, hotAnswers, visits, clock, ids, httpDate } = shared
  return {
    take(stream, headers) {
      const path = headers[':path']
      const host = hostNameOf(headers[':authority'])
      if (path === undefined || host === undefined || !isPlainGet(stream, headers)) return false
      const now = clock.now()
      const entry = sites.peek(host, clock.monotonic())
      if (entry === undefined || !entry.isPlain || isPersonal(entry, path, headers)) return false
      // Where there are functions, most of what is not known is theirs, and looking twice would cost their visitors.
      const rawPath = rawPathOf(path)
      const hasFunctions = entry.site.functions.size > 0
      const answer = hasFunctions ? hotAnswers.get(entry, rawPath) : hotAnswers.find(entry, rawPath)
      if (answer === undefined) return false
      const accepted = acceptedEncodings(oneOf(headers['accept-encoding']))
      const ready = pickRepresentation(answer, accepted)
      const bytes = ready?.content?.bytes
      if (ready === undefined || bytes === undefined) return false
      const id = ids.next()
      // A client that resets the stream is no concern of ours, but an error that nobody hears ends the process.
      stream.on('error', ignore)
      stream.respond([':status', '200', ...stampHeaders(httpDate(now), id), ...ready.headers])
      stream.end(bytes)
      const { site } = entry
      visits.record({
        id,
        at: now,
        deploymentId: site.deploymentId,
        ownerId: site.ownerId,
        projectId: site.projectId,
        environment: site.environment,
        host: site.host,
        method: 'GET',
        path,
        protocol: 'HTTP/2',
        status: 200,
        ms: 0,
        bytes: bytes.length,
        ip: plainAddress(stream.session?.socket.remoteAddress),
        userAgent: headers['user-agent'] ?? '',
        source: 'static',
        entrypoint: answer.foundAt,
      })
      return true
    },
  }
}

/** A request in which nothing but its target and Accept-Encoding decides the answer. */
const isPlainGet = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean =>
  headers[':method'] === 'GET' &&
  stream.endAfterHeaders &&
  !stream.destroyed &&
  headers.host === undefined &&
  headers.range === undefined &&
  headers['if-match'] === undefined &&
  headers['if-none-match'] === undefined &&
  headers.expect === undefined

/** Whether the routes may look at more than the path. */
function isPersonal({ table }: SiteEntry, path: string, headers: IncomingHttpHeaders): boolean {
  if (table.output === undefined) return false
  if (path.includes('?')) return true
  for (const name of table.variesOn ?? []) if (headers[name] !== undefined) return true
  return false
}

const ignore = () => {}

const oneOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value
