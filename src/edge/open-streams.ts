import { Readable } from 'node:stream'
import { MINUTE } from '#contract/time.ts'
import { type Answer, valueIn } from './answer.ts'

/** Why a stream is ended: the process stops and the visitor may come back at once, or they are no longer let in. */
export type StreamEnd = 'restart' | 'refusal'

type EndStream = (why: StreamEnd) => void

/** Whether a visitor would still be let in. Never rejects. */
export type IsLetIn = () => Promise<boolean>

interface OpenStream {
  readonly end: EndStream
  readonly isLetIn: IsLetIn | undefined
  /** In which part of each minute it is asked about. */
  readonly turn: number
}

/** Parts of a minute: of many streams, few are asked about at a time. */
const TURNS = 60

/**
 * Streams that go on for as long as the visitor likes: they have to be ended when the process stops, and when the visitor
 * would not be let in any more, about which is asked once a minute.
 */
export class OpenStreams {
  readonly #open = new Set<OpenStream>()
  #isEnding = false
  #added = 0
  #turn = 0
  #timer: NodeJS.Timeout | undefined

  /** The result is to be called when the stream is over by itself. */
  add(end: EndStream, isLetIn?: IsLetIn): () => void {
    const stream = { end, isLetIn, turn: this.#added++ % TURNS }
    if (this.#isEnding) {
      queueMicrotask(() => end('restart'))
    } else {
      this.#open.add(stream)
      this.#timer ??= setInterval(() => this.#lookAgain(), MINUTE / TURNS).unref()
    }
    return () => this.#forget(stream)
  }

  /** An answer with server-sent events can be ended between two of them; any other is left as it is. */
  watch(answer: Answer, isLetIn?: IsLetIn): Answer {
    const { body, headers } = answer
    if (body === undefined || Buffer.isBuffer(body)) return answer
    if (!EVENTS.test(valueIn(headers, 'content-type') ?? '')) return answer
    const isPlain = valueIn(headers, 'content-encoding') === undefined
    return { ...answer, body: this.#endable(body, isPlain, isLetIn) }
  }

  end(): void {
    this.#isEnding = true
    for (const stream of this.#open) this.#end(stream, 'restart')
  }

  #end(stream: OpenStream, why: StreamEnd): void {
    if (this.#forget(stream)) stream.end(why)
  }

  /** Whether it was still open. */
  #forget(stream: OpenStream): boolean {
    const wasOpen = this.#open.delete(stream)
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return wasOpen
  }

  #lookAgain(): void {
    this.#turn = (this.#turn + 1) % TURNS
    for (const stream of this.#open) {
      if (stream.turn !== this.#turn) continue
      void stream.isLetIn?.().then((isLetIn) => isLetIn || this.#end(stream, 'refusal'))
    }
  }

  #endable(source: Readable, isPlain: boolean, isLetIn: IsLetIn | undefined): Readable {
    let tail = ''
    const endable = new Readable({
      read: () => void source.resume(),
      destroy(error, done) {
        forget()
        source.destroy()
        done(error)
      },
    })
    const forget = this.add((why) => {
      // In the middle of an event nothing can be added; what there is of it is dropped by the visitor.
      const isBetween = tail === '' || tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n')
      if (why === 'restart' && isPlain && isBetween) endable.push(RETRY)
      endable.push(null)
      source.destroy()
    }, isLetIn)
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
