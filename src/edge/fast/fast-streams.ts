import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { acceptedEncodings } from '#core/negotiation/encoding.ts'
import { pickRepresentation } from '../file/representation.ts'
import { hostNameOf } from '../request/host.ts'
import { plainAddress } from '../request/plain-address.ts'
import { rawPathOf } from '../request/request-path.ts'
import type { Shared } from '../shared.ts'
import { isPersonal, namesIn } from '../site/personal.ts'
import { stampHeaders } from '../stamp.ts'
import { visitRecord } from '../visit-record.ts'
import { SMALL } from './unsent.ts'

export interface FastStreams {
  /** Answers a GET request for a file in memory. False when the stream is anything else; it is then untouched. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean
}

export function createFastStreams(shared: Shared): FastStreams {
  const { sites, hotAnswers, visits, clock, ids, httpDate, unsent, memory } = shared
  return {
    take(stream, headers) {
      const path = headers[':path']
      const host = hostNameOf(headers[':authority'])
      if (path === undefined || host === undefined || !isPlainGet(stream, headers)) return false
      const now = clock.now()
      const entry = sites.peek(host, clock.monotonic())
      if (entry === undefined || !entry.isPlain || isPersonal(entry, path.includes('?'), namesIn(headers)))
        return false
      // Where there are functions, most of what is not known is theirs, and looking twice would cost their visitors.
      const rawPath = rawPathOf(path)
      const hasFunctions = entry.site.functions.size > 0
      const answer = hasFunctions ? hotAnswers.get(entry, rawPath) : hotAnswers.find(entry, rawPath)
      if (answer === undefined) return false
      const accepted = acceptedEncodings(oneOf(headers['accept-encoding']))
      const ready = pickRepresentation(answer, accepted)
      const bytes = ready?.content?.bytes
      if (ready === undefined || bytes === undefined) return false
      const ip = plainAddress(stream.session?.socket.remoteAddress)
      if (!unsent.hasRoom(ip, bytes.length)) return false
      const taken = memory.hold(ip, bytes, true)
      if (taken === undefined) return false
      const id = ids.next()
      // A client that resets the stream is no concern of ours, but an error that nobody hears ends the process.
      stream.on('error', ignore).once('close', taken)
      stream.respond([':status', '200', ...stampHeaders(httpDate(now), id), ...ready.headers])
      if (bytes.length > SMALL) stream.once('close', unsent.add(ip, bytes.length))
      stream.end(bytes)
      visits.record(
        visitRecord(
          entry.site,
          {
            id,
            at: now,
            method: 'GET',
            path,
            protocol: 'HTTP/2',
            ip,
            userAgent: headers['user-agent'] ?? '',
          },
          { status: 200, ms: 0, bytes: bytes.length, source: 'static', entrypoint: answer.foundAt },
        ),
      )
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

const ignore = () => {}

const oneOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value
