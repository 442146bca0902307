import { finished, type Readable, type Writable } from 'node:stream'

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
