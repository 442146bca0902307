import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '#contract/time.ts'
import { isRecord } from '#core/is-record.ts'
import { RegistrarFailure } from '#core/ports/registrar.ts'

const TIME_LIMIT = 20 * SECOND
const MAX_ANSWER = 1_000_000
const ATTEMPTS = 3

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** With it the service does a thing once, however often it is asked. */
  readonly key?: string
  /** May be asked again when no answer came. */
  readonly repeatable: boolean
}

export interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface ClientConfig {
  readonly url: string
  readonly user: string
  readonly token: string
}

const isBroken = (status: number): boolean => status >= 500 || status === 429 || status === 408

const silent = (why: string, cause?: unknown) =>
  new RegistrarFailure('unavailable', `The registrar does not answer: ${why}`, undefined, { cause })

async function readAnswer(response: Response): Promise<Reply['body']> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MAX_ANSWER) throw silent('the answer is too long')
  }
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw silent('the answer is not what was expected')
  return value as Reply['body']
}

/** Asks the service. What it refuses is answered; that it cannot be asked is a `RegistrarFailure`. */
export function createClient({ url, user, token }: ClientConfig): (call: Call) => Promise<Reply> {
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`

  async function once({ method, path, body, key }: Call): Promise<Reply> {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIME_LIMIT),
        headers: {
          authorization,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'x-idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (isBroken(response.status)) {
        await response.body?.cancel()
        throw silent(`it says ${response.status}`)
      }
      return { status: response.status, body: await readAnswer(response) }
    } catch (error) {
      throw error instanceof RegistrarFailure ? error : silent('no connection, or no sense in it', error)
    }
  }

  return async (call) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(call)
      } catch (error) {
        if (!call.repeatable || attempt === ATTEMPTS) throw error
      }
      await sleep(100 * attempt)
    }
  }
}
