import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { readRetryAfter } from '#contract/retry-after.ts'
import { readAtMost } from '#core/read-at-most.ts'
import { readProblem } from './problem.ts'

export type AcmeLibrary = typeof import('acme-client')

/** One request to the authority may take this long. */
const REQUEST_MS = 30_000
const MAX_ANSWER_BYTES = 1024 * 1024
const BAD_NONCE = 'urn:ietf:params:acme:error:badNonce'

const underWay = new AsyncLocalStorage<AbortSignal>()

/** Requests that are made within `work` end with this signal; the library has no way to say so. */
export const within = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  underWay.run(signal, work)

/** Requests that are made within `work` are nobody's, so that several can wait for the same. */
export const apart = <T>(work: () => Promise<T>): Promise<T> => underWay.exit(work)

let loaded: AcmeLibrary | undefined

/**
 * The library that speaks ACME, loaded when the first certificate is asked for: it takes half a second and much
 * memory, and most processes never need it. Requests go through `fetch`, which trusts the authorities that Node
 * does, and so that a refusal arrives as a `Problem` at once: the library would sleep for as long as the authority
 * says, and lose its words.
 */
export function acmeLibrary(): AcmeLibrary {
  if (loaded) return loaded
  const require = createRequire(import.meta.url)
  const library = leavingNoTrace(() => require('acme-client') as AcmeLibrary)
  library.axios.defaults.adapter = ask as never
  loaded = library
  return library
}

/**
 * Parts of the library add to `Reflect` and to the global object while they load, and need nothing of it
 * afterwards. The load is synchronous: no other code sees a changed global.
 */
function leavingNoTrace<T>(load: () => T): T {
  const globals = globalThis as Record<string, unknown>
  const before = new Set(Object.keys(globals))
  const own = Reflect
  globals.Reflect = Object.create(own, Object.getOwnPropertyDescriptors(own))
  try {
    return load()
  } finally {
    globals.Reflect = own
    for (const key of Object.keys(globals)) if (!before.has(key)) delete globals[key]
  }
}

/** As the library's HTTP client hands over a request. */
interface Request {
  readonly url: string
  readonly method: string
  readonly headers: { toJSON(): Record<string, string> }
  readonly data?: string
}

async function ask(request: Request) {
  const own = AbortSignal.timeout(REQUEST_MS)
  const signal = underWay.getStore()
  const response = await fetch(request.url, {
    method: request.method.toUpperCase(),
    headers: request.headers.toJSON(),
    body: request.data ?? null,
    signal: signal ? AbortSignal.any([signal, own]) : own,
  }).catch((error: Error) => {
    signal?.throwIfAborted()
    throw new Error(`The certificate authority at ${new URL(request.url).host} did not answer: ${why(error)}`)
  })
  const data = await readText(response)
  const { status, statusText } = response
  if (status >= 400 && !isBadNonce(data)) {
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), Date.now())
    throw readProblem(parse(data), `The certificate authority answered with the status ${status}`, retryAfter)
  }
  return { data, status, statusText, headers: Object.fromEntries(response.headers), config: request }
}

const why = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message)

async function readText({ body }: Response): Promise<string> {
  const tooMuch = () => new Error('The certificate authority does not stop answering')
  return body === null ? '' : (await readAtMost(body, MAX_ANSWER_BYTES, tooMuch)).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** These are for the library, which asks again. */
const isBadNonce = (text: string): boolean =>
  (parse(text) as { type?: unknown } | null | undefined)?.type === BAD_NONCE
