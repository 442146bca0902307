import { PassThrough, type Readable } from 'node:stream'
import { oneATurn } from '#core/chunks.ts'
import type { Answer } from '../answer.ts'

/** Of all answers that are being kept, what their visitors have not taken yet: others wait for the answer, and not for them. */
const MAX_AHEAD_BYTES = 64 * 1024 * 1024
let aheadBytes = 0

/**
 * A body to send on, and all of it once it has come; undefined where it broke off, and as soon as it is longer than this. However
 * slow whoever it is sent on to, it comes as fast as it is made, one large chunk in a turn, for as long as it is kept and there
 * is room.
 */
export function tee(body: Answer['body'], most: number): [Answer['body'], Promise<Buffer | undefined>] {
  if (body === undefined) return [undefined, Promise.resolve(Buffer.alloc(0))]
  if (Buffer.isBuffer(body)) return [body, Promise.resolve(body.length > most ? undefined : body)]
  const source = body as Readable
  const passing = new PassThrough()
  // One that broke off before tells of it no more.
  if (source.destroyed) return [passing.destroy(), Promise.resolve(undefined)]
  const whole = new Promise<Buffer | undefined>((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let ahead = 0
    let isHeld = false
    const caughtUp = () => {
      aheadBytes -= ahead
      ahead = 0
    }
    const rest = oneATurn(source, () => !isHeld)
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) {
        chunks.push(chunk)
      } else {
        chunks.length = 0
        resolve(undefined)
      }
      if (!passing.write(chunk)) {
        if (size > most || aheadBytes + chunk.length > MAX_AHEAD_BYTES) {
          isHeld = true
          source.pause()
          return
        }
        ahead += chunk.length
        aheadBytes += chunk.length
      }
      rest(chunk)
    })
    passing.on('drain', () => {
      isHeld = false
      caughtUp()
      source.resume()
    })
    passing.once('close', caughtUp)
    source.once('end', () => {
      passing.end()
      resolve(Buffer.concat(chunks))
    })
    source.once('error', (error) => {
      passing.destroy(error)
      resolve(undefined)
    })
    source.once('close', () => {
      if (!source.readableEnded) passing.destroy()
      resolve(undefined)
    })
    // A visitor who leaves ends the answer, as without us.
    passing.once('close', () => {
      if (!source.readableEnded) source.destroy()
    })
  })
  return [passing, whole]
}
