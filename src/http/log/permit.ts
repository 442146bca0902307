import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Context } from '#core/access/context.ts'
import type { OpenPermit } from '#core/access/permit.ts'
import type { Permits } from '#core/change/permits.ts'
import { type CallerParts, findAgain } from '../change/find-again.ts'

export interface PermitParts extends CallerParts {
  readonly permits: Permits
}

/** A request that is answered for as long as its caller would be let in with it again. */
interface LastingRequest {
  readonly row: Endpoint
  readonly ctx: Context
  readonly headers: IncomingHttpHeaders
  /** Finds what it asks for, for its caller as they are by now. */
  readonly find: (ctx: Context) => Promise<unknown>
}

export const permitFor = (
  { permits, ...callers }: PermitParts,
  { headers, ...rest }: LastingRequest,
): OpenPermit => permits.of({ ...rest, findAgain: () => findAgain(callers, headers) })
