import { finished, Readable } from 'node:stream'
import { oneATurn } from '#core/chunks.ts'

/** Answers with a promise if it is to be waited for before there is another. */
type Take = (chunk: Uint8Array) => Promise<void> | undefined

/**
 * Gives all chunks of a source to whoever takes them, until a signal aborts. Once it has settled, nothing is being taken any
 * more. The source is left as it is, so that its owner can still answer on the connection it belongs to. It listens rather
 * than iterates, which takes a dozen promises for each chunk.
 */
export function takeChunks(
  source: Readable | AsyncIterable<Uint8Array>,
  signals: readonly AbortSignal[],
  take: Take,
): Promise<void> {
  for (const signal of signals) signal.throwIfAborted()
  const stream = source instanceof Readable ? source : Readable.from(source)
  return new Promise((resolve, reject) => {
    let taking: Promise<void> | undefined
    let isOver = false
    const settle = (failure: unknown): void => (failure === undefined ? resolve() : reject(failure))

    function end(error?: unknown): void {
      if (isOver) return
      isOver = true
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
      stream.off('data', onData)
      stopWatching()
      if (stream !== source) stream.destroy()
      else if (error !== undefined) stream.pause()
      if (taking === undefined) settle(error)
      else
        taking.then(
          () => settle(error),
          (failure) => settle(error ?? failure),
        )
    }

    const rest = oneATurn(stream, () => !isOver && taking === undefined)
    const goOn = (): void => {
      taking = undefined
      if (!isOver) stream.resume()
    }
    function onData(chunk: unknown): void {
      try {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('A blob is put from chunks of bytes')
        // Before it is taken, as afterwards its memory may be another thread's.
        rest(chunk)
        taking = take(chunk)
      } catch (error) {
        end(error)
        return
      }
      if (taking === undefined) return
      stream.pause()
      taking.then(goOn, end)
    }
    const onAbort = (event: Event): void => end((event.target as AbortSignal).reason)

    for (const signal of signals) signal.addEventListener('abort', onAbort)
    const stopWatching = finished(stream, { writable: false }, (error) => end(error ?? undefined))
    stream.on('data', onData).resume()
  })
}
