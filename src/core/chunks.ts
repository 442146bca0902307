import { finished, Readable, type Writable } from 'node:stream'

/** One that is part of something larger may have neighbours that somebody still reads. */
export const isWhole = (chunk: Uint8Array): chunk is Uint8Array<ArrayBuffer> =>
  chunk.buffer instanceof ArrayBuffer && chunk.buffer.byteLength === chunk.byteLength

/**
 * Frees the memory of a chunk at once. Left to the garbage collector, which V8 starts for every few dozen megabytes of such
 * memory, it costs more than everything else about a large body: each time the whole heap is marked, and visitors wait.
 */
export function freeChunk(chunk: Uint8Array): void {
  if (isWhole(chunk)) chunk.buffer.transfer(0)
}

const unshared = new WeakSet<Readable>()

/** Says of a stream that its chunks are nobody's but the reader's, who may free them. */
export function markUnshared<S extends Readable>(stream: S): S {
  unshared.add(stream)
  return stream
}

/** What to call once a chunk of this stream was written: frees it, where nobody else can be reading it. */
export const afterWrite = (source: Readable): ((chunk: Uint8Array) => (() => void) | undefined) =>
  unshared.has(source) ? (chunk) => () => freeChunk(chunk) : () => undefined

/** What is written at once at most, where it is a copy for each reader until they have taken it. */
export const PIECE_BYTES = 64 * 1024

/** A body that is in memory, piece by piece. */
export function piecesOf(body: Buffer): Readable {
  let at = 0
  return new Readable({
    read() {
      this.push(at < body.length ? body.subarray(at, at + PIECE_BYTES) : null)
      at += PIECE_BYTES
    },
  })
}

/** From this size on, a chunk is mostly one of many. */
const LARGE = 16 << 10

/**
 * What to call with each chunk of a source that flows, so that one large one of it is taken in a turn of the event loop: a socket
 * whose sender is fast is read up to 32 times in a row for as long as whoever reads goes on at once.
 */
export function oneATurn(source: Readable, mayGoOn: () => boolean): (chunk: Uint8Array) => void {
  const goOn = (): void => {
    if (mayGoOn()) source.resume()
  }
  return (chunk) => {
    if (chunk.length < LARGE) return
    source.pause()
    setImmediate(goOn)
  }
}

/**
 * All chunks of a source, of which one large one is taken in a turn. `count` is called with the size of each before it is kept, and
 * throws where that is too much: the source is paused then, and its reader is told why. It also rejects if the source breaks off.
 */
export function takeAll(source: Readable, count: (bytes: number) => void): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const breakOff = (): void => reject(new Error('the source broke off'))
    const chunks: Buffer[] = []
    // Neither one that ended before nor one that broke off says so again.
    if (source.readableEnded) return resolve(chunks)
    if (source.destroyed) return breakOff()
    let isRefused = false
    const rest = oneATurn(source, () => !isRefused)
    const onData = (chunk: Buffer): void => {
      try {
        count(chunk.length)
      } catch (error) {
        isRefused = true
        chunks.length = 0
        source.off('data', onData).pause()
        reject(error)
        return
      }
      chunks.push(chunk)
      rest(chunk)
    }
    source.on('data', onData)
    source.once('end', () => resolve(chunks))
    source.on('error', breakOff)
    source.once('close', breakOff)
  })
}

/** Passes on what comes, no faster than it is taken, and frees what it may. Returns what stops it. */
export function pour(source: Readable, sink: Writable): () => void {
  const written = afterWrite(source)
  let isStopped = false
  const rest = oneATurn(source, () => !isStopped && !sink.writableNeedDrain)
  const onData = (chunk: Buffer): void => {
    if (sink.write(chunk, written(chunk))) rest(chunk)
    else source.pause()
  }
  const onDrain = (): void => void source.resume()
  const onEnd = (): void => void sink.end()
  const stop = (): void => {
    isStopped = true
    source.off('data', onData).off('end', onEnd)
    sink.off('drain', onDrain).off('close', stop)
  }
  sink.on('drain', onDrain).once('close', stop)
  source.on('data', onData).once('end', onEnd)
  // It tells of its end only once.
  if (source.readableEnded) onEnd()
  else if (sink.writableNeedDrain) source.pause()
  else source.resume()
  return stop
}

/** The same of two that end together: whichever fails, the other is broken off. */
export function pourWhole(
  source: Readable,
  sink: Writable,
  onEnd: (error: NodeJS.ErrnoException | null | undefined) => void,
): void {
  finished(source, { writable: false }, (error) => {
    if (error) sink.destroy(error)
  })
  finished(sink, { readable: false }, (error) => {
    if (error) source.destroy()
    onEnd(error)
  })
  pour(source, sink)
}
