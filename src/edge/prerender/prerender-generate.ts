import type { Prerender } from '#core/output/output.ts'
import type { PrerenderEntry } from '#core/ports/prerender-cache.ts'
import { dropBody, textOf } from '../answer.ts'
import type { HeldAnswer } from '../answer-memory.ts'
import { secondsOf } from '../cache/cache-policy.ts'
import type { Refusal } from '../error/refusal.ts'
import { callFunction, type FunctionResponse, type Functions } from '../function/function-call.ts'
import type { FunctionCall } from '../function/function-request.ts'
import { gather } from '../gather.ts'

/** What came of asking a function for an answer for everyone. */
export type Generation = GenerationOutcome & {
  /** Whether it waited for an instance to start. */
  readonly isCold?: boolean
}

type GenerationOutcome =
  | { readonly kind: 'made'; readonly entry: PrerenderEntry }
  /** It failed, and says so itself: not to be kept, but an answer all the same. */
  | { readonly kind: 'failed'; readonly entry: PrerenderEntry }
  /** It is not for everyone, too large, or there is no room for it at the moment, which says nothing of the next one. */
  | { readonly kind: 'unfit'; readonly lacksRoom?: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

const MAX_BYTES = 8 * 1024 * 1024

export async function generate(
  functions: Functions,
  call: FunctionCall,
  prerender: Prerender,
  held: HeldAnswer,
  now: () => number,
): Promise<Generation> {
  const generatedAt = now()
  const response = await new Promise<FunctionResponse | Refusal>((resolve) => {
    callFunction(functions, call, resolve)
  })
  if ('code' in response) return { kind: 'refused', refusal: response }
  return { ...(await read(response, prerender, held, generatedAt)), isCold: response.isCold === true }
}

async function read(
  response: FunctionResponse,
  prerender: Prerender,
  held: HeldAnswer,
  generatedAt: number,
): Promise<GenerationOutcome> {
  const { status, headers } = response
  if (!isForEveryone(headers)) {
    dropBody(response)
    return { kind: 'unfit' }
  }
  const body = await gather(response.body, MAX_BYTES, held)
  if (typeof body === 'string')
    return body !== 'broken'
      ? { kind: 'unfit', lacksRoom: body === 'no-room' }
      : { kind: 'refused', refusal: { code: 'FUNCTION_INVOCATION_FAILED', headers: [] } }
  const expiration = sharedAge(headers) ?? prerender.expiration
  const entry = { status, headers, body, generatedAt, expiration }
  return { kind: status >= 500 ? 'failed' : 'made', entry }
}

const PERSONAL = /\b(?:private|no-store)\b/i

const isForEveryone = (headers: readonly string[]): boolean =>
  textOf(headers, 'set-cookie') === undefined && !PERSONAL.test(textOf(headers, 'cache-control') ?? '')

/** Seconds for which the function itself says that its answer is fresh. */
const sharedAge = (headers: readonly string[]): number | undefined =>
  secondsOf(textOf(headers, 'cache-control') ?? '', 's-maxage')
