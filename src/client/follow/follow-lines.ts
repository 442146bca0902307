import { MINUTE } from '#contract/time.ts'
import { ConnectionError, connectionError } from '../connection-error.ts'

/** The installation sends a sign of life every 15 seconds: silence means that nobody is there any more. */
const SILENCE = MINUTE
const MAX_LINE = 1_000_000

/**
 * The values of an answer that goes on: JSON, one a line, unless `read` knows better. A connection that breaks, or falls
 * silent, throws.
 */
export async function* followLines<Value>(
  baseUrl: string,
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal | undefined,
  read: (line: string) => Value | undefined = (line) => JSON.parse(line) as Value,
): AsyncGenerator<Value> {
  const stop = new AbortController()
  const signals = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  let timer: NodeJS.Timeout | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stop.abort(), SILENCE)
  }
  try {
    restartTimer()
    const { body } = await open(signals)
    if (body === null) return
    for await (const line of lines(body, restartTimer)) {
      const value = read(line)
      if (value !== undefined) yield value
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (stop.signal.aborted) throw new ConnectionError(baseUrl, 'timeout', { cause: error })
    // A body that breaks off fails with an error of the runtime.
    throw error instanceof TypeError ? connectionError(baseUrl, error) : error
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}

/** Whole lines that are not blank; what comes after the last line break was cut off on its way. */
async function* lines(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of pieces(body)) {
    onChunk()
    rest += decoder.decode(chunk, { stream: true })
    const whole = rest.split('\n')
    rest = whole.pop() ?? ''
    if (rest.length > MAX_LINE) throw new Error('A line of the log is too long.')
    for (const line of whole) if (line !== '') yield line
  }
}

/** A body is a list of pieces by itself, but not in every browser. */
async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.cancel().catch(() => {})
  }
}
