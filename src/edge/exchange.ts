import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { senderOf } from '#core/access/sender.ts'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Answer, Question } from './answer.ts'
import type { Refusal } from './error/refusal.ts'
import type { Visitor } from './proxy/proxy-headers.ts'
import type { HalfClosedWatch } from './request/half-closed.ts'
import { plainAddress } from './request/plain-address.ts'
import type { RequestIds } from './request/request-id.ts'
import type { VisitorMemory } from './visitor-memory.ts'

/** A visitor's request and the place for its answer. */
export interface Exchange {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly id: string
  readonly at: number
  /** The same moment by the monotonic clock. */
  readonly since: number
  readonly ip: string
  readonly question: Question
  /** What is asked for, as it was sent; without what was only meant for the guards once they have seen it. */
  url: string
  /** Whether it waited for an instance to start. */
  isCold?: boolean
  /** What kept a function from answering, whatever the visitor gets in its place. */
  failure?: Refusal
  /** Headers that go out with the answer, whatever it is. */
  added?: readonly string[]
  /** Set if the visitor asks for the unique address of an instance. */
  instance?: string
  /** Notices a visitor who is gone while the answer takes its time. */
  watch?: HalfClosedWatch
  /** Set if the visitor asks for another protocol on this connection. */
  readonly upgrade?: Upgrade
  /** Set if the answer is for everybody, whoever caused it. */
  readonly forAll?: ForAll
  /** Set where the guards are asked once more about a visitor who was let in: nothing but their verdict may come of it. */
  readonly isAskedAgain?: true
}

interface ForAll {
  /** As whom it is asked for. */
  readonly visitor: Visitor
  /** Aborted once nobody waits for it any more, in the place of the visitor who leaves. */
  readonly signal: AbortSignal
}

interface ExchangeParts {
  readonly ids: RequestIds
  readonly clock: Clock
  readonly memory: VisitorMemory
}

/** A request that has just come, as node:http or node:http2 describes it. */
export function exchangeOf(
  req: AnyRequest,
  res: AnyResponse,
  { ids, clock, memory }: ExchangeParts,
): Exchange {
  const ip = plainAddress(senderOf(req).address)
  return {
    req,
    res,
    id: ids.next(),
    at: clock.now(),
    since: clock.monotonic(),
    ip,
    question: {
      ...{ method: req.method ?? 'GET', headers: req.headers },
      ...{ from: ip, isHolding: !memory.hasRoom(ip) },
      // Over HTTP/2 it is counted what the stream was given.
      ...('stream' in res ? {} : { holdFile: fileHoldOf(res, ip, memory) }),
    },
    url: req.url ?? '/',
  }
}

/** Once for an answer, however many parts of a file it has: they are read one after the other. */
function fileHoldOf(res: ServerResponse, ip: string, memory: VisitorMemory): () => boolean {
  let isHeld = false
  return () => {
    // Who has left already does not leave again.
    if (isHeld || res.destroyed) return true
    const taken = memory.holdFile(ip)
    if (taken === undefined) return false
    isHeld = true
    res.once('close', taken)
    return true
  }
}

interface Upgrade {
  readonly socket: Duplex
  /** What has come of the other protocol already. */
  readonly first: Buffer
  /** The protocols that the visitor offers. */
  readonly protocol: string
}

/** A connection that speaks something else now. */
export interface Switched {
  readonly socket: Socket
  /** What has come already. */
  readonly first: Buffer
  /** To be called once, when it is over. */
  release(): void
}

/** An answer by which the protocol of the connection changes. */
export interface SwitchAnswer extends Answer {
  readonly switched: Switched
}

export type Result = Answer | SwitchAnswer | Refusal

export const isSwitch = (answer: Answer): answer is SwitchAnswer => 'switched' in answer

export function authorityOf({ headers }: AnyRequest): string | undefined {
  const authority = headers[':authority']
  return headers.host ?? (typeof authority === 'string' ? authority : undefined)
}

/** How the visitor reaches the site, which is part of what an answer to them is of. */
export function addressedAt(exchange: Exchange): { readonly scheme: string; readonly authority: string } {
  const { scheme, host } = visitorOf(exchange)
  return { scheme, authority: host }
}

export function visitorOf({ req, ip, id, forAll }: Exchange): Visitor {
  if (forAll !== undefined) return forAll.visitor
  const { isSecure, port } = senderOf(req)
  return {
    ip,
    host: authorityOf(req) ?? '',
    scheme: isSecure ? 'https' : 'http',
    port,
    requestId: id,
  }
}
