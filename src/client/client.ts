import type { TSchema } from 'typebox'
import {
  type BodyOf,
  type Endpoint,
  methodOf,
  type ParamsOf,
  type QueryOf,
  type ReplyForm,
  type ReplyOf,
} from '#contract/endpoint.ts'
import { MINUTE, SECOND } from '#contract/time.ts'
import { readError, readReply } from './call/answer.ts'
import { readBaseUrl } from './call/base-url.ts'
import { type LooseInput, type Prepared, prepare } from './call/request.ts'
import { delayBeforeRetry } from './call/retry.ts'
import type { SendText, TextAnswer } from './call/send-text.ts'
import { type Trace, traceAnswer, traceRequest } from './call/trace.ts'
import { ConnectionError, connectionError } from './connection-error.ts'

export interface ClientSettings {
  /** The installation's address, as in `http://localhost:3000`. */
  readonly baseUrl: string
  readonly token?: string | undefined
  /** The team to act for; without it, the user's own account. */
  readonly teamId?: string | undefined
  readonly fetch?: typeof globalThis.fetch
  /** In the place of fetch where what is sent and what is answered are text. */
  readonly sendText?: SendText
  /** Named on the page where a person accepts a login. */
  readonly userAgent?: string
  /** How long one attempt may take; a raw body is sent for as long as it takes. */
  readonly timeoutMs?: number
  readonly trace?: (event: Trace) => void
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** What a raw endpoint is sent. Only bytes in memory can be sent again after a rate limit. */
export type RawBody = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | Uint8Array | Blob

type ParamsField<On extends string> = keyof ParamsOf<On> extends never
  ? { readonly params?: never }
  : { readonly params: ParamsOf<On> }
type QueryField<Query> = Query extends TSchema
  ? Partial<QueryOf<Query>> extends QueryOf<Query>
    ? { readonly query?: QueryOf<Query> }
    : { readonly query: QueryOf<Query> }
  : { readonly query?: never }
type BodyField<Body> = Body extends undefined
  ? { readonly body?: never }
  : { readonly body: Body extends 'raw' ? RawBody : BodyOf<Body> }

/** What a call of a row has to name: exactly what its path, query and body ask for. */
export type CallInput<On extends string, Query, Body> = ParamsField<On> &
  QueryField<Query> &
  BodyField<Body> & {
    readonly signal?: AbortSignal | undefined
    /** What a row asks for beside its query, such as the digest of a file. */
    readonly headers?: Readonly<Record<string, string>>
  }

/** A raw answer is handed over as it comes, for the caller to read or to stream. */
export type CallReply<Reply> = Reply extends 'raw' ? Response : ReplyOf<Reply>

type Optional<T> = Partial<T> extends T ? [input?: T] : [input: T]

export interface Client {
  readonly baseUrl: string
  /** Throws `ApiError` for an answer that is no success and `ConnectionError` when there is none. */
  call<
    On extends string,
    Query extends TSchema | undefined,
    Body extends TSchema | 'raw' | undefined,
    Reply extends ReplyForm,
  >(
    row: Endpoint<On, Query, Body, Reply>,
    ...input: Optional<CallInput<On, Query, Body>>
  ): Promise<CallReply<Reply>>
}

type Input = LooseInput & { readonly signal?: AbortSignal | undefined }

const TIMEOUT = 30 * SECOND
const SLOW_TIMEOUT = 5 * MINUTE
const HEADER_SAFE = /^[\x21-\x7e]+$/

export function createClient(settings: ClientSettings): Client {
  const { token, trace, timeoutMs = TIMEOUT, wait = pause } = settings
  const send = settings.fetch ?? globalThis.fetch
  const baseUrl = readBaseUrl(settings.baseUrl)
  // fetch would put the value into its own error.
  if (token !== undefined && !HEADER_SAFE.test(token))
    throw new TypeError(
      'The token is not valid: it contains spaces, control characters or non-ASCII characters.',
    )

  async function call(row: Endpoint, input: Input = {}): Promise<unknown> {
    const request = prepare(baseUrl, row, input, {
      token,
      teamId: settings.teamId,
      userAgent: settings.userAgent,
    })
    for (let made = 1, limited = false; ; made++) {
      try {
        return await attempt(row, request, input.signal)
      } catch (error) {
        if (input.signal?.aborted) throw input.signal.reason
        const ms = delayBeforeRetry(error, {
          method: methodOf(row),
          repeatable: request.repeatable,
          made,
          limited,
        })
        if (ms === undefined) throw error
        limited ||= (error as { status?: number }).status === 429
        trace?.({ kind: 'wait', ms, why: (error as Error).message })
        await wait(ms, input.signal)
      }
    }
  }

  async function attempt(
    row: Endpoint,
    request: Prepared,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { method, url, headers, body } = request
    const timer = startTimer(row.body === 'raw' ? undefined : row.slow ? SLOW_TIMEOUT : timeoutMs)
    const started = performance.now()
    trace?.(traceRequest(request, token))
    let response: Response | TextAnswer
    let text: string | undefined
    try {
      const either = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal])
      const isText = row.reply !== 'raw' && (body === undefined || typeof body === 'string')
      response =
        settings.sendText && isText
          ? await settings.sendText(url, { method, headers, body, signal: either })
          : await send(url, {
              method,
              headers,
              redirect: 'manual',
              signal: either,
              ...(body === undefined ? {} : { body: body as string, duplex: 'half' }),
            })
      if (!response.ok || row.reply !== 'raw') text = await response.text()
    } catch (thrown) {
      const error = timer.signal.aborted
        ? new ConnectionError(baseUrl, 'timeout', { cause: thrown })
        : connectionError(baseUrl, thrown)
      trace?.({ kind: 'failure', message: error.message })
      throw error
    } finally {
      timer.stop()
    }
    trace?.(traceAnswer(response, text, Math.round(performance.now() - started), token))
    if (!response.ok) throw readError(response, text ?? '', baseUrl, Date.now())
    return text === undefined ? response : readReply(response, row, text, baseUrl)
  }

  return { baseUrl, call: call as Client['call'] }
}

/** A limit that can be called off, so that a raw answer may stream on after it began. */
function startTimer(ms: number | undefined): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const timer = ms === undefined ? undefined : setTimeout(() => controller.abort(), ms)
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
