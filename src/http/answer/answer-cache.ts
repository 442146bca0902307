import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Endpoint, pathOf } from '#contract/endpoint.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Context } from '#core/access/context.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DataVersion } from '#core/ports/data-version.ts'
import { unchangedUntil } from '#core/token/token.ts'
import { type Allowance, type Limits, limitHeaderList, rateLimited, retryAfter } from '../limits.ts'
import { speakError } from './dialect.ts'
import { JSON_TYPE } from './send-as.ts'

/** Text of nothing but ASCII is written as it is. */
interface Size {
  readonly length: string
  readonly encoding: 'latin1' | 'utf8'
}

function sizeOf(text: string): Size {
  const bytes = Buffer.byteLength(text)
  return { length: String(bytes), encoding: bytes === text.length ? 'latin1' : 'utf8' }
}

/** What an endpoint answered, and what has to be known to answer it again. */
interface CachedAnswer extends Size {
  readonly row: Endpoint
  readonly route: string
  readonly text: string
  /** After this the token has to be looked at again, although nothing was written. */
  readonly until: number
  readonly caller: string
  readonly plan: Plan
}

interface AnsweredRequest {
  readonly id: string
  readonly row: Endpoint
  readonly route: string
  readonly status: number
  readonly ms: number
}

interface AnswerCacheParts {
  readonly version: DataVersion
  readonly limits: Limits
  readonly clock: Clock
  readonly site: string
  readonly newId: () => string
  readonly onAnswered: (answered: AnsweredRequest) => void
}

/** A list of a hundred deployments has 40 KB. */
const LARGEST = 64 * 1024
const MOST = 4 * 1024 * 1024

/**
 * Answers of endpoints that depend on nothing but who asks and what the database holds (`keepable`), for as long as
 * nothing whatsoever was written to it, by this process or another: whoever asks for the same again is sent the same.
 * The one look at the version of the data stands in for those for the token, the team and the row, so that a token that was
 * revoked is refused as soon as its revocation is answered. Requests are counted like any others.
 */
export class AnswerCache {
  readonly #parts: AnswerCacheParts
  readonly #kept = new Map<string, CachedAnswer>()
  #version: number | undefined
  #size = 0

  constructor(parts: AnswerCacheParts) {
    this.#parts = parts
  }

  /** To be asked before anything is read for the answer. */
  version(): number | undefined {
    try {
      return this.#parts.version()
    } catch {
      // Whoever reads next has the same trouble with the database, and words for it.
      return undefined
    }
  }

  /** Keeps an answer for which everything was read since the data had this version, if they still have. */
  keep(
    version: number,
    { headers, url = '' }: IncomingMessage,
    row: Endpoint,
    ctx: Context,
    text: string,
  ): void {
    if (text.length > LARGEST || headers.authorization === undefined || this.version() !== version) return
    if (this.#version !== version || this.#size > MOST) this.#forget(version)
    this.#size += text.length + url.length
    this.#kept.set(keyOf(headers.authorization, url), {
      row,
      route: pathOf(row),
      text,
      ...sizeOf(text),
      until: unchangedUntil(ctx.actor.token),
      caller: ctx.owner.id,
      plan: ctx.owner.plan,
    })
  }

  /** Whether the request is answered by this. */
  answer(req: IncomingMessage, res: ServerResponse, otherwise: () => void): boolean {
    const kept = this.#find(req)
    if (kept === undefined) return false
    const start = performance.now()
    const taken = this.#parts.limits.take(kept.row, kept.caller, kept.plan)
    if (taken instanceof Promise)
      taken.then((allowance) => this.#send(res, kept, allowance, start), otherwise)
    else this.#send(res, kept, taken, start)
    return true
  }

  #find({ method, url = '', headers }: IncomingMessage): CachedAnswer | undefined {
    if (this.#size === 0 || method !== 'GET' || headers.authorization === undefined) return undefined
    // Whoever sends a body with it is read as ever.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return undefined
    const kept = this.#kept.get(keyOf(headers.authorization, url))
    if (kept === undefined) return undefined
    const version = this.version()
    if (version !== this.#version) {
      this.#forget(version)
      return undefined
    }
    return kept.until > this.#parts.clock.now() ? kept : undefined
  }

  #send(res: ServerResponse, kept: CachedAnswer, allowance: Allowance, start: number): void {
    const id = this.#parts.newId()
    if (allowance.allowed) {
      send(res, 200, headOf(id, allowance), kept.text, kept)
    } else this.#refuse(res, kept, allowance, id)
    const { row, route } = kept
    this.#parts.onAnswered({ id, row, route, status: res.statusCode, ms: performance.now() - start })
  }

  #refuse(res: ServerResponse, { row }: CachedAnswer, allowance: Allowance, id: string): void {
    const { status, body } = speakError(rateLimited(allowance), row, this.#parts.site)
    const text = JSON.stringify(body)
    const head = headOf(id, allowance)
    head.push('retry-after', retryAfter(allowance, this.#parts.clock))
    send(res, status, head, text, sizeOf(text))
  }

  #forget(version: number | undefined): void {
    this.#kept.clear()
    this.#size = 0
    this.#version = version
  }
}

const keyOf = (authorization: string, url: string): string => `${authorization} ${url}`

/** A name and its value in turn, which is what node:http has the least to do with. */
function headOf(id: string, allowance: Allowance): string[] {
  const head = limitHeaderList(allowance)
  head.push('x-request-id', id, 'content-type', JSON_TYPE)
  return head
}

function send(
  res: ServerResponse,
  status: number,
  head: string[],
  text: string,
  { length, encoding }: Size,
): void {
  head.push('content-length', length)
  res.writeHead(status, head).end(text, encoding)
}
