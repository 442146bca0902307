import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { finished, Readable, type Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { RawReply } from '#contract/endpoint.ts'
import { pour } from '#core/chunks.ts'
import { onPeerEnd } from '#core/peer-end.ts'
import { PAGE_HEADERS } from './page.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends what an endpoint answers that is not JSON. */
export function sendAs(form: 'empty' | 'html' | 'raw', reply: FastifyReply, answer: unknown): FastifyReply {
  if (form === 'empty') return reply.send('')
  if (form === 'html') return reply.headers(PAGE_HEADERS).send(answer)
  const { type, body, headers, status, endless } = answer as RawReply
  if (status !== undefined) reply.code(status)
  if (endless && body instanceof Readable) destroyWhenGone(reply, body)
  reply.headers({ ...headers, 'content-type': type })
  if (!(body instanceof Readable)) return reply.send(body)
  const isHead = reply.request.method === 'HEAD'
  if (!isHead && !isGone(reply)) return reply.send(pouring(body))
  body.destroy()
  // In the place of a text, Fastify would tell HEAD the length of that.
  return reply.send(isHead ? Readable.from([]) : '')
}

/** Whoever asked has left. Over HTTP/2 nothing would tell a body of that any more, and what it holds would be held for ever. */
function isGone({ raw }: FastifyReply): boolean {
  const res = raw as ServerResponse | Http2ServerResponse
  return 'stream' in res ? res.stream.destroyed : res.destroyed
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
export function counted(body: Readable, onEnd: (bytes: number) => void): Readable {
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
