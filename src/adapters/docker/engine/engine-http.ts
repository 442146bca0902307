import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SECOND } from '#contract/time.ts'
import { readAtMost } from '#core/read-at-most.ts'
import { DockerError, type DockerFault } from './docker-error.ts'
import type { EngineAddress } from './engine-address.ts'

interface EngineCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Each part is escaped. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly json?: unknown
  /** A tar, sent as it comes. */
  readonly body?: Readable
  /** Of the whole call, or until the answer begins where that is a stream. Infinity: none. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
  /** What a registry is shown by the engine when images are fetched for this call. */
  readonly registryAuth?: string | undefined
}

const TIMEOUT_MS = 30 * SECOND
/** What the engine itself is made to say by users stays far below. */
const MAX_ANSWER = 32 * 2 ** 20
const MAX_MESSAGE = 2000

const KIND_OF_STATUS: Readonly<Record<number, DockerFault>> = {
  400: 'refused',
  403: 'refused',
  404: 'absent',
  409: 'conflict',
}

/** Speaks HTTP/1.1 with an engine, a connection for each call: they are few, and some last for days. */
export class EngineHttp {
  readonly #address: EngineAddress
  /** Such as `/v1.41`. */
  readonly #prefix: string

  constructor(address: EngineAddress, prefix = '') {
    this.#address = address
    this.#prefix = prefix
  }

  /** The whole answer, as JSON; undefined where there is none. */
  async json<T>(call: EngineCall): Promise<T> {
    const bounded = within(call)
    try {
      const { response, sent } = await this.#send(call, bounded.signal)
      const text = await readAll(response, MAX_ANSWER)
      await sent
      return (text === '' ? undefined : JSON.parse(text)) as T
    } catch (error) {
      throw errorMessageOf(error, call, bounded.signal)
    } finally {
      bounded.done()
    }
  }

  /** An answer that is read as it comes. The signal ends it at any time; whoever reads must expect an error then. */
  async stream(call: EngineCall): Promise<IncomingMessage> {
    const bounded = within(call)
    try {
      const { response, sent } = await this.#send(call, bounded.signal)
      // An engine that has enough of the body answers before it has all.
      sent.catch(() => {})
      return response
    } catch (error) {
      throw errorMessageOf(error, call, bounded.signal)
    } finally {
      bounded.begun()
    }
  }

  /** A connection that is no HTTP any more. */
  hijack(call: EngineCall): Promise<Duplex> {
    const bounded = within(call)
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    const asked = request({
      ...this.#options(call),
      headers: { Connection: 'Upgrade', Upgrade: 'tcp' },
      signal: bounded.signal,
    })
    asked.once('upgrade', (_, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    asked.once('response', (response: IncomingMessage) => {
      failureOf(response).then(reject, reject)
    })
    asked.once('error', reject)
    asked.end()
    return promise
      .catch((error) => {
        throw errorMessageOf(error, call, bounded.signal)
      })
      .finally(bounded.begun)
  }

  #options({ method, path, query = {} }: EngineCall): RequestOptions {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    const text = search.size === 0 ? '' : `?${search}`
    return {
      ...this.#address,
      agent: false,
      method,
      path: `${this.#prefix}/${path.map(encodeURIComponent).join('/')}${text}`,
    }
  }

  async #send(
    call: EngineCall,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage; sent: Promise<void> }> {
    const content = call.json === undefined ? undefined : JSON.stringify(call.json)
    const type = content !== undefined ? 'application/json' : call.body ? 'application/x-tar' : undefined
    const asked = request({
      ...this.#options(call),
      headers: {
        Host: 'docker',
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...(content === undefined ? {} : { 'Content-Length': Buffer.byteLength(content) }),
        ...(call.registryAuth === undefined ? {} : { 'X-Registry-Auth': call.registryAuth }),
      },
      signal,
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve)
      asked.on('error', reject)
    })
    answered.catch(() => {})
    const sent = call.body ? pipeline(call.body, asked) : Promise.resolve(void asked.end(content))
    sent.catch(() => {})
    let fault: Error | undefined
    call.body?.once('error', (error) => {
      fault = error
    })
    // Where the body's own source fails that is the reason, and not that the rest never came.
    const response = await answered.catch((error) => {
      throw fault ?? error
    })
    if ((response.statusCode ?? 500) >= 400) throw await failureOf(response)
    return { response, sent }
  }
}

/** A signal that also ends the call after its time, for as long as that counts. */
function within({ timeoutMs = TIMEOUT_MS, signal }: EngineCall) {
  const late = new AbortController()
  const timer = Number.isFinite(timeoutMs)
    ? setTimeout(
        () => late.abort(new DockerError('timeout', 'The Docker Engine did not answer in time')),
        timeoutMs,
      )
    : undefined
  const begun = () => clearTimeout(timer)
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    /** No longer limited. */
    begun,
    done: begun,
  }
}

async function readAll(response: IncomingMessage, most: number): Promise<string> {
  const tooMuch = () => new DockerError('failed', 'The Docker Engine says too much')
  return (await readAtMost(response, most, tooMuch)).toString('utf8')
}

/** What an answer of 400 and above says. */
async function failureOf(response: IncomingMessage): Promise<DockerError> {
  const status = response.statusCode ?? 500
  const text = await readAll(response, 2 ** 20).catch(() => '')
  return new DockerError(
    KIND_OF_STATUS[status] ?? 'failed',
    messageOf(text) || `The Docker Engine says ${status}`,
  )
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text)
    if (typeof message === 'string') return message.slice(0, MAX_MESSAGE)
  } catch {}
  return text.trim().slice(0, MAX_MESSAGE)
}

const UNREACHABLE = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'EACCES',
  'EPERM',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function errorMessageOf(error: unknown, { method, path }: EngineCall, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof DockerError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  const what = `${method} ${path.join('/')}`.slice(0, 200)
  if (UNREACHABLE.has(code))
    return new DockerError('unreachable', `The Docker Engine cannot be reached: ${message}`, { cause: error })
  return new DockerError('failed', `The Docker Engine did not answer ${what}: ${message}`, { cause: error })
}
