import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Prerender } from '#core/output/output.ts'
import type { PrerenderEntry } from '#core/ports/prerender-cache.ts'
import type { Site } from '#core/site/site.ts'
import { dropBody, valueIn } from '../answer.ts'
import type { Exchange, Result } from '../exchange.ts'
import { ask, toAnswer } from '../function/function-answer.ts'
import type { FunctionResponse, Functions } from '../function/function-call.ts'
import { type FunctionOutcome, resumingCall } from '../function/function-request.ts'

/**
 * A page of which a part is kept, the same for everyone, and the rest is rendered for each visitor (partial
 * prerendering): the function goes on from a state that stands before the kept part.
 */
interface PartialPage {
  readonly state: Buffer
  readonly shell: Buffer
  readonly contentType: string
}

const TYPE =
  /^application\/x-nextjs-pre-render\s*;\s*state-length=(\d{1,9})\s*;\s*origin="((?:[^"\\]|\\.)*)"\s*$/
const FOR_ONE_VISITOR = 'private, no-cache, no-store, max-age=0, must-revalidate'
/** Of the kept part alone. */
const OF_THE_SHELL = new Set(['content-type', 'content-length', 'cache-control', 'etag', 'transfer-encoding'])

/** Undefined for what is kept whole. */
export function readPartialPage({
  headers,
  body,
}: Pick<PrerenderEntry, 'headers' | 'body'>): PartialPage | undefined {
  const [, length, contentType] = TYPE.exec(valueIn(headers, 'content-type') ?? '') ?? []
  if (length === undefined || contentType === undefined || Number(length) > body.length) return undefined
  return {
    state: body.subarray(0, Number(length)),
    shell: body.subarray(Number(length)),
    contentType: contentType.replace(/\\(.)/g, '$1'),
  }
}

interface PartialVisit {
  readonly site: Site
  readonly outcome: FunctionOutcome
  /** Which function goes on, and how it is told to. */
  readonly chain: NonNullable<Prerender['chain']>
  readonly exchange: Exchange
}

/** The kept part goes out at once, the rest as the function renders it. A failure cuts the answer off. */
export async function partialAnswer(
  functions: Functions,
  { site, outcome, chain, exchange }: PartialVisit,
  entry: Pick<PrerenderEntry, 'status' | 'headers'>,
  { state, shell, contentType }: PartialPage,
): Promise<Result> {
  const kept = entry.headers.filter((_, i) => !OF_THE_SHELL.has(entry.headers[i - (i % 2)] as string))
  const headers = [...kept, 'content-type', contentType, 'cache-control', FOR_ONE_VISITOR]
  if (exchange.question.method === 'HEAD')
    return toAnswer(site, outcome, { status: entry.status, headers, body: undefined }, exchange)
  const target = site.functions.get(chain.path) ?? outcome.target
  const call = resumingCall(site, { ...outcome, target }, exchange, chain.headers, state)
  const body = new PassThrough()
  if (shell.length > 0) body.write(shell)
  void ask(functions, call, exchange, (response) => response).then(
    (response) => ('code' in response ? void body.destroy() : goOn(response, body)),
    (error: Error) => void body.destroy(error),
  )
  return toAnswer(site, outcome, { status: entry.status, headers, body }, exchange)
}

async function goOn(response: FunctionResponse, body: PassThrough): Promise<void> {
  const { status, body: rest } = response
  if (status >= 400) {
    dropBody(response)
    body.destroy()
  } else if (rest === undefined || Buffer.isBuffer(rest)) body.end(rest)
  else await pipeline(rest, body).catch(() => body.destroy())
}
