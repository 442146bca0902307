import { hash } from 'node:crypto'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { AloftError } from '#contract/errors.ts'
import type { ByteRange } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import { readAtMost } from '#core/read-at-most.ts'
import type { Location } from './location.ts'
import { type Credentials, EMPTY_SHA256, encodePath, encodeQuery, sign } from './signature.ts'

interface S3Options {
  readonly location: Location
  readonly credentials: Credentials
  readonly clock: Clock
  /** How long the store may take to begin an answer, or to go on with one. */
  readonly timeoutMs?: number
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Left out where the caller does not know it. */
  readonly bodySha256?: string
  /** Fails at once where the store was away a moment ago, and is tried less often. */
  readonly isRead?: boolean
}

/** An object whose upload in parts was begun and has not ended. */
interface UnfinishedUpload {
  readonly key: string
  readonly uploadId: string
}

const ATTEMPTS = 4
const READ_ATTEMPTS = 2
const PAUSE_MS = 100
/** For so long after it did not answer, nobody who reads waits for it again. */
const AWAY_MS = 1000
const MAX_ANSWER_BYTES = 4 << 20
const CONNECTIONS = 32

/** The body came changed, or not as a whole. */
const LOST_ON_THE_WAY = new Set([
  'XAmzContentSHA256Mismatch',
  'BadDigest',
  'IncompleteBody',
  'RequestTimeout',
])

const away = (cause?: unknown) =>
  new AloftError(
    'service_unavailable',
    'The object store for file contents isn’t responding. Try again later.',
    {},
    { cause },
  )

/** An answer that says no for good. */
class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(method: string, status: number, code: string, message: string) {
    super(`The object store refused ${method}: ${status} ${code} ${message}`)
    this.status = status
    this.code = code
  }
}

/**
 * The few requests of S3 that contents need. Bodies are signed with their hash, so that the store refuses what was changed on
 * the way; whatever may be sent twice is tried again with growing pauses.
 */
export class S3Client {
  readonly #location: Location
  readonly #credentials: Credentials
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #agent: HttpAgent
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor({ location, credentials, clock, timeoutMs = 10_000 }: S3Options) {
    this.#location = location
    this.#credentials = credentials
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    const options = {
      keepAlive: true,
      maxSockets: CONNECTIONS,
      maxFreeSockets: CONNECTIONS,
      scheduling: 'lifo',
    } as const
    this.#agent = location.base.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#answer({ method: 'PUT', key, body: bytes })
  }

  /** A stream that the caller must consume or destroy. */
  async get(key: string, range?: ByteRange): Promise<IncomingMessage | undefined> {
    const headers = range
      ? { range: `bytes=${range.start}-${range.end === undefined ? '' : range.end - 1}` }
      : {}
    return orAbsent(this.#send({ method: 'GET', key, headers, isRead: true }, (answer) => answer))
  }

  async getBytes(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    const stream = await this.get(key, range)
    if (stream === undefined) return undefined
    try {
      return await buffer(stream)
    } catch (error) {
      throw this.#wasAway(error)
    }
  }

  /** What is not there is no error. */
  async remove(key: string): Promise<void> {
    await orAbsent(this.#answer({ method: 'DELETE', key }))
  }

  async beginParts(key: string): Promise<string> {
    const text = await this.#answer({ method: 'POST', key, query: { uploads: '' } })
    const [uploadId] = valuesOf(text, 'UploadId')
    if (uploadId === undefined) throw new Error('The object store did not name the upload that it began')
    return uploadId
  }

  /** Answers the tag that the end of the upload wants. */
  async putPart(key: string, uploadId: string, number: number, bytes: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    return this.#send({ method: 'PUT', key, query, body: bytes }, (answer) => {
      answer.resume()
      return answer.headers.etag ?? ''
    })
  }

  async endParts(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const text = await this.#answer({ method: 'POST', key, query: { uploadId }, body }).catch(
      async (error: unknown) => {
        // It may have ended, and only the answer was lost. Nobody else has this key.
        const isUnknown = error instanceof Refused && error.code === 'NoSuchUpload'
        if (isUnknown && (await this.list(key)).includes(key)) return ''
        throw error
      },
    )
    // The status is sent before the work is done, so a failure may come in the body.
    if (/<Error>/.test(text)) throw away(new Error(text.slice(0, 500)))
  }

  async abortParts(key: string, uploadId: string): Promise<void> {
    await orAbsent(this.#answer({ method: 'DELETE', key, query: { uploadId } }))
  }

  async unfinished(keyPrefix: string): Promise<readonly UnfinishedUpload[]> {
    const { prefix } = this.#location
    const text = await this.#answer({
      method: 'GET',
      key: '',
      query: { uploads: '', prefix: prefix + keyPrefix },
    })
    const ids = valuesOf(text, 'UploadId')
    return valuesOf(text, 'Key').flatMap((key, n) => {
      const uploadId = ids[n]
      return uploadId !== undefined && key.startsWith(prefix + keyPrefix)
        ? [{ key: key.slice(prefix.length), uploadId }]
        : []
    })
  }

  /** Keys in order, after the given one, at most a thousand. */
  async list(keyPrefix: string, after?: string): Promise<readonly string[]> {
    const { prefix } = this.#location
    const query = {
      'list-type': '2',
      prefix: prefix + keyPrefix,
      ...(after === undefined ? {} : { 'start-after': prefix + after }),
    }
    const text = await this.#answer({ method: 'GET', key: '', query })
    return valuesOf(text, 'Key').map((key) => key.slice(prefix.length))
  }

  close(): void {
    this.#agent.destroy()
  }

  #answer(request: Request): Promise<string> {
    return this.#send(request, textOf)
  }

  /** An answer that breaks off while it is read counts as none. */
  async #send<T>(request: Request, read: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
    const { isRead = false } = request
    if (isRead && this.#clock.monotonic() < this.#awayUntil) throw away()
    const bodySha256 = request.body === undefined ? EMPTY_SHA256 : hash('sha256', request.body)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await read(await this.#sendOnce({ ...request, bodySha256 }))
        this.#awayUntil = Number.NEGATIVE_INFINITY
        return answer
      } catch (error) {
        if (error instanceof Refused) throw error
        if (attempt === (isRead ? READ_ATTEMPTS : ATTEMPTS)) throw this.#wasAway(error)
      }
      await delay(Math.random() * PAUSE_MS * 3 ** attempt)
    }
  }

  #wasAway(error: unknown): unknown {
    if (error instanceof Refused || error instanceof AloftError) return error
    this.#awayUntil = this.#clock.monotonic() + AWAY_MS
    return away(error)
  }

  async #sendOnce(request: Request): Promise<IncomingMessage> {
    const { method, key, query = {}, body, bodySha256 = EMPTY_SHA256 } = request
    const { base, region, prefix } = this.#location
    // Requests about the bucket itself have no key, and then no prefix either.
    const path = base.pathname + (key === '' ? '' : prefix + key)
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const headers = sign(
      { method, host: base.host, path, query, headers: { ...request.headers, ...length }, bodySha256 },
      this.#credentials,
      region,
      this.#clock.now(),
    )
    const search = encodeQuery(query)
    const target = new URL(`${encodePath(path)}${search === '' ? '' : `?${search}`}`, base)
    const send = base.protocol === 'https:' ? requestHttps : requestHttp
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = send(target, { method, headers, agent: this.#agent })
      outgoing.setTimeout(this.#timeoutMs, () =>
        outgoing.destroy(new Error('The object store took too long')),
      )
      outgoing.once('response', resolve)
      outgoing.once('error', reject)
      outgoing.end(body)
    })
    const { statusCode = 0 } = answer
    if (statusCode >= 200 && statusCode < 300) return answer
    const text = await textOf(answer)
    const [code = ''] = valuesOf(text, 'Code')
    const [message = text.slice(0, 200)] = valuesOf(text, 'Message')
    const refused = new Refused(method, statusCode, code, message)
    const mayGetBetter =
      statusCode >= 500 || statusCode === 429 || statusCode === 408 || LOST_ON_THE_WAY.has(code)
    throw mayGetBetter ? new Error(refused.message) : refused
  }
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    const isAbsent = error instanceof Refused && error.status === 404 && error.code !== 'NoSuchBucket'
    if (isAbsent) return undefined
    throw error
  }
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const tooMuch = () => new Error('The object store sent too long an answer')
  return (await readAtMost(stream, MAX_ANSWER_BYTES, tooMuch)).toString('utf8')
}

/** What stands in the elements of a name. The answers are made by a machine and nest no element in one of its own name. */
const valuesOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => unescapeXml(text))

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|(lt|gt|quot|apos|amp));/g,
    (_, code: string | undefined, name: string | undefined) =>
      code === undefined ? (NAMED[name ?? ''] ?? '') : String.fromCodePoint(Number(code)),
  )

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
