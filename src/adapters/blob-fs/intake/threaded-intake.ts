import { isMarkedAsUntransferable, Worker } from 'node:worker_threads'
import { MINUTE } from '#contract/time.ts'
import { isWhole } from '#core/chunks.ts'
import { onlyOnce } from '#core/only-once.ts'
import type { BlobDigest } from '#core/ports/blob-store.ts'
import type { Intake } from './intake.ts'

/** To start the thread takes some 100 ms of CPU time. At rest it has some 3 MB. */
const IDLE_MS = 5 * MINUTE
/** Sent to the thread at once. */
const BATCH_BYTES = 256 << 10
/** On their way to it, of one content. */
const UNDER_WAY = 4

export type IntakeRequest =
  | { readonly id: number; readonly fd: number; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly id: number; readonly end: 'digest' | 'drop' }

export interface IntakeAnswer {
  /** Milliseconds of CPU time that the chunks took. */
  readonly ms?: number
  readonly digest?: BlobDigest
  readonly failure?: { readonly message: string; readonly code?: string }
}

interface WaitingIntake {
  readonly bytes: number
  resolve(digest: BlobDigest | undefined): void
  reject(error: unknown): void
}

const ended = () => new Error('The thread that takes in large contents ended')

/**
 * Hashes and writes large contents in a thread beside the event loop, which only passes on what arrives: with a core to spare
 * an upload takes half the time, and visitors hardly wait for it. The thread starts with the first content and ends when
 * there is none for a while, so an idle process does not pay its memory.
 */
export class IntakeThread {
  /** Told of every few chunks how many bytes they were, and what they took. */
  readonly #onTaken: (bytes: number, ms: number) => void
  #worker: Worker | undefined
  #waiting: WaitingIntake[] = []
  #users = 0
  #nextId = 0
  #idle: NodeJS.Timeout | undefined

  constructor(onTaken: (bytes: number, ms: number) => void = () => {}) {
    this.#onTaken = onTaken
  }

  start(fd: number): Intake {
    const id = this.#nextId++
    this.#users += 1
    clearTimeout(this.#idle)
    this.#worker ??= this.#spawn()
    this.#worker.ref()
    // Another one that is started meanwhile knows nothing of the first half.
    const worker = this.#worker
    const leave = onlyOnce(() => this.#leave())
    const underWay: Promise<void>[] = []
    let chunks: Uint8Array<ArrayBuffer>[] = []
    let bytes = 0
    const ship = () => {
      const sent = this.#ask(worker, { id, fd, chunks }, bytes).then(() => undefined)
      // Whoever adds or finishes hears of a failure; until then it is not an unhandled one.
      sent.catch(() => undefined)
      underWay.push(sent)
      chunks = []
      bytes = 0
    }
    return {
      add: (chunk, isOurs) => {
        chunks.push(isOurs && isTransferable(chunk) ? chunk : new Uint8Array(chunk))
        bytes += chunk.length
        if (bytes >= BATCH_BYTES) ship()
        return underWay.length > UNDER_WAY ? underWay.shift() : undefined
      },
      finish: async () => {
        if (chunks.length > 0) ship()
        const digest = this.#ask(worker, { id, end: 'digest' }).finally(leave)
        const [found] = await Promise.all([digest, ...underWay])
        if (found === undefined) throw ended()
        return found
      },
      drop: () => this.#ask(worker, { id, end: 'drop' }).then(leave, leave),
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  /** The thread answers in the order it is asked. */
  #ask(worker: Worker, request: IntakeRequest, bytes = 0): Promise<BlobDigest | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#worker !== worker) return reject(ended())
      // Throws where a chunk cannot be handed over: nothing comes back for that.
      worker.postMessage(request, 'chunks' in request ? request.chunks.map(({ buffer }) => buffer) : [])
      this.#waiting.push({ bytes, resolve, reject })
    })
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./intake-thread.ts', import.meta.url))
    worker.on('message', ({ digest, failure, ms }: IntakeAnswer) => {
      const waiting = this.#waiting.shift()
      if (waiting !== undefined && ms !== undefined) this.#onTaken(waiting.bytes, ms)
      if (failure) waiting?.reject(Object.assign(new Error(failure.message), { code: failure.code }))
      else waiting?.resolve(digest)
    })
    worker.once('error', (error) => this.#fail(worker, error))
    worker.once('exit', () => this.#fail(worker, ended()))
    return worker
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
  }

  #leave(): void {
    this.#users -= 1
    if (this.#users > 0) return
    this.#worker?.unref()
    this.#idle = setTimeout(() => {
      const worker = this.#worker
      // Whoever comes while it ends needs another.
      this.#worker = undefined
      void worker?.terminate()
    }, IDLE_MS)
    this.#idle.unref()
  }
}

const isTransferable = (chunk: Uint8Array): chunk is Uint8Array<ArrayBuffer> =>
  isWhole(chunk) && !isMarkedAsUntransferable(chunk.buffer)
