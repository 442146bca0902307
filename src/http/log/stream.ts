import { Readable } from 'node:stream'
import { SECOND } from '#contract/time.ts'

const KEEP_ALIVE = 15 * SECOND

/**
 * Values as lines of JSON, as they come and no faster than they are taken. A blank line is sent at the
 * start, so that the client knows at once that it was heard, and whenever nothing else was for a while.
 * The signal aborts when the stream is destroyed, which is what becomes of it when the client goes away.
 */
export function streamLines(open: (signal: AbortSignal) => AsyncIterable<unknown>): Readable {
  const gone = new AbortController()
  const values = open(gone.signal)[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  let pulling = false

  const stayAlive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Whoever takes nothing needs no sign of life either.
      if (stream.readableLength === 0) stream.push('\n')
      stayAlive()
    }, KEEP_ALIVE)
  }

  async function pull(): Promise<void> {
    if (pulling) return
    pulling = true
    try {
      for (let wanted = true; wanted && !stream.destroyed; ) {
        const { done, value } = await values.next()
        if (stream.destroyed) break
        if (done) {
          clearTimeout(timer)
          stream.push(null)
          return
        }
        stayAlive()
        wanted = stream.push(`${JSON.stringify(value)}\n`)
      }
      pulling = false
    } catch (error) {
      stream.destroy(error as Error)
    }
  }

  const stream = new Readable({
    read: () => void pull(),
    destroy(error, done) {
      clearTimeout(timer)
      gone.abort()
      // Lets the source tidy up; what it still says is of no interest to anybody.
      Promise.resolve(values.return?.()).then(
        () => done(error),
        () => done(error),
      )
    },
  })
  stream.push('\n')
  stayAlive()
  return stream
}
