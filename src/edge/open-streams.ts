import { Readable } from 'node:stream'
import { type Answer, valueIn } from './answer.ts'

/** What to do when all streams shall end. */
type EndStream = () => void

/** Streams that go on for as long as the visitor likes: they have to be ended when the process stops. */
export class OpenStreams {
  readonly #open = new Set<EndStream>()
  #isEnding = false

  /** The result is to be called when the stream is over by itself. */
  add(end: EndStream): () => void {
    if (this.#isEnding) queueMicrotask(end)
    else this.#open.add(end)
    return () => this.#open.delete(end)
  }

  /** An answer with server-sent events can be ended between two of them; any other is left as it is. */
  watch(answer: Answer): Answer {
    const { body, headers } = answer
    if (body === undefined || Buffer.isBuffer(body)) return answer
    if (!EVENTS.test(valueIn(headers, 'content-type') ?? '')) return answer
    const isPlain = valueIn(headers, 'content-encoding') === undefined
    return { ...answer, body: this.#endable(body, isPlain) }
  }

  end(): void {
    this.#isEnding = true
    for (const end of this.#open) end()
    this.#open.clear()
  }

  #endable(source: Readable, isPlain: boolean): Readable {
    let tail = ''
    const endable = new Readable({
      read: () => void source.resume(),
      destroy(error, done) {
        forget()
        source.destroy()
        done(error)
      },
    })
    const forget = this.add(() => {
      // In the middle of an event nothing can be added; what there is of it is dropped by the visitor.
      if (isPlain && (tail === '' || tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n'))) endable.push(RETRY)
      endable.push(null)
      source.destroy()
    })
    source.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.subarray(-TAIL_BYTES).toString('latin1')).slice(-TAIL_BYTES)
      if (!endable.push(chunk)) source.pause()
    })
    source.once('end', () => {
      forget()
      endable.push(null)
    })
    source.once('error', (error) => endable.destroy(error))
    source.pause()
    return endable
  }
}

const EVENTS = /^text\/event-stream\b/i
const TAIL_BYTES = 4
/** After how many milliseconds a browser comes back. */
const RETRY = 'retry: 1000\n\n'
