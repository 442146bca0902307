import { sourceOf } from '#core/access/network-of.ts'
import { type ShareLimits, SourceShares } from '#core/access/source-shares.ts'
import { onlyOnce } from '#core/only-once.ts'
import { SMALL } from './fast/unsent.ts'
import { MAX_WHOLE_BYTES } from './file/content-store.ts'

/** Bytes that visitors may hold in the memory of this process by not taking what they have asked for. */
export interface VisitorLimits {
  /** Of bodies in memory that are being sent. */
  readonly bodies: ShareLimits
  /** Of what was written to streams of node:http2, of which a connection may have more than a hundred. */
  readonly streams: ShareLimits
  /** Of large files that are being sent over HTTP/1.1. */
  readonly files: ShareLimits
}

const MB = 1024 * 1024
const LIMITS: VisitorLimits = {
  bodies: { all: 256 * MB, source: 64 * MB, least: 8 * MB },
  streams: { all: 384 * MB, source: 128 * MB, least: 16 * MB },
  files: { all: 384 * MB, source: 128 * MB, least: 16 * MB },
}

/** Of a file that is sent as it is read: the piece that was written last, and the next one. */
const FILE_BYTES = 512 * 1024

/** Memory that a source is being sent a body from, by as many answers. */
interface Loan {
  answers: number
  readonly giveBack: () => void
}

/**
 * A body in memory stays there for as long as anybody is being sent it, also when the cache that it is from has long forgotten it.
 * So it is counted what each source makes us hold in this way. Whoever holds too much is sent files from where they are stored, and is
 * refused what is stored nowhere; all others get what they ask for.
 */
export class VisitorMemory {
  readonly #bodies: SourceShares
  readonly #streams: SourceShares
  readonly #files: SourceShares
  /** Of each source. What it is sent twice is in memory once. */
  readonly #loans = new Map<string, Map<ArrayBufferLike, Loan>>()

  constructor(limits: Partial<VisitorLimits> = {}) {
    const { bodies, streams, files } = { ...LIMITS, ...limits }
    this.#bodies = new SourceShares(bodies)
    this.#streams = new SourceShares(streams)
    this.#files = new SourceShares(files)
  }

  /** Bytes that are held. */
  get size(): number {
    return this.#bodies.size + this.#streams.size + this.#files.size
  }

  /** Whether a visitor at this address may be sent any file that can be in memory out of memory. */
  hasRoom(address: string): boolean {
    return this.#bodies.hasRoom(address, MAX_WHOLE_BYTES)
  }

  /** Answers what says that a body was taken, which may be called more than once; undefined where there is no room for it. */
  hold(address: string, body: Buffer, isStream: boolean): (() => void) | undefined {
    const returned = body.buffer.byteLength > SMALL ? this.#lend(address, body.buffer) : nothing
    if (returned === undefined || !isStream) return returned
    const sent = this.#streams.take(address, Math.min(body.length, SMALL))
    if (sent === undefined) {
      returned()
      return undefined
    }
    return () => {
      sent()
      returned()
    }
  }

  /** The same of what a stream was given and its visitor has not taken so far. */
  holdUnsent(address: string, bytes: number): (() => void) | undefined {
    return this.#streams.take(address, bytes)
  }

  /** The same of a file that is read while it is sent. Without room for that, it can still be read a little at a time. */
  holdFile(address: string): (() => void) | undefined {
    return this.#files.take(address, FILE_BYTES)
  }

  #lend(address: string, memory: ArrayBufferLike): (() => void) | undefined {
    const source = sourceOf(address)
    const theirs = this.#loans.get(source) ?? new Map<ArrayBufferLike, Loan>()
    let loan = theirs.get(memory)
    if (loan === undefined) {
      const giveBack = this.#bodies.take(address, memory.byteLength)
      if (giveBack === undefined) return undefined
      loan = { answers: 0, giveBack }
      theirs.set(memory, loan)
      this.#loans.set(source, theirs)
    }
    const taken = loan
    taken.answers++
    return onlyOnce(() => {
      if (--taken.answers > 0) return
      taken.giveBack()
      theirs.delete(memory)
      if (theirs.size === 0) this.#loans.delete(source)
    })
  }
}

const nothing = () => {}
