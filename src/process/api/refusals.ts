import type { OutgoingHttpHeaders } from 'node:http'
import type { AnyRequest } from '#core/http-message.ts'
import { callerOf } from './working-requests.ts'

/** Somebody who has asked too often, in the words they were told so. */
interface Refusal {
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** Afterwards it is asked again: what is allowed may have been changed. */
const REPEATED_MS = 1000
const MOST = 1000

/**
 * Programs that are told to come back later often ask again at once, hundreds of times a second. For a second they are
 * told the same again, which costs a tenth of asking the process that counts. Their windows have begun anew at most so much earlier.
 */
export class Refusals {
  readonly #now: () => number
  readonly #refused = new Map<string, Refusal & { readonly until: number; repeated: number }>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  note(req: AnyRequest, refusal: Refusal): void {
    const [oldest] = this.#refused.keys()
    if (this.#refused.size >= MOST && oldest !== undefined) this.#refused.delete(oldest)
    const seconds = Number(refusal.headers['retry-after'] ?? 1)
    const until = this.#now() + Math.min(REPEATED_MS, seconds * 1000)
    this.#refused.set(keyOf(req), { ...refusal, until, repeated: 0 })
  }

  /** What to answer this request, if it is refused like the one before. */
  find(req: AnyRequest): Refusal | undefined {
    if (this.#refused.size === 0) return undefined
    const key = keyOf(req)
    const refused = this.#refused.get(key)
    if (refused === undefined) return undefined
    if (refused.until <= this.#now()) {
      this.#refused.delete(key)
      return undefined
    }
    refused.repeated++
    const id = `${refused.headers['x-request-id']}_${refused.repeated}`
    return { headers: { ...refused.headers, 'x-request-id': id }, body: refused.body }
  }
}

const keyOf = (req: AnyRequest): string => `${req.method} ${req.url} ${callerOf(req)}`
