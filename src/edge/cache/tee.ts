import { PassThrough } from 'node:stream'
import { oneATurn } from '#core/chunks.ts'
import type { Answer } from '../answer.ts'
import type { HeldAnswer } from '../answer-memory.ts'

/**
 * A body to send on, and all of it once it has come; undefined where it broke off, and as soon as it is longer than this or there is
 * no room for it. However slow whoever it is sent on to, it comes as fast as it is made, one large chunk in a turn, for as long
 * as it is kept: others wait for the answer, and not for them. From then on it comes no faster than it is taken.
 */
export function tee(
  body: Answer['body'],
  most: number,
  held: HeldAnswer,
): [Answer['body'], Promise<Buffer | undefined>] {
  if (body === undefined) return [undefined, Promise.resolve(Buffer.alloc(0))]
  if (Buffer.isBuffer(body)) return [body, Promise.resolve(body.length > most ? undefined : body)]
  const source = body
  const passing = new PassThrough()
  // One that broke off before tells of it no more.
  if (source.destroyed) return [passing.destroy(), Promise.resolve(undefined)]
  const whole = new Promise<Buffer | undefined>((resolve) => {
    let chunks: Buffer[] | undefined = []
    let size = 0
    let isHeld = false
    const giveUp = () => {
      chunks = undefined
      resolve(undefined)
    }
    const rest = oneATurn(source, () => !isHeld)
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (chunks !== undefined && size <= most && held.grow(chunk.length)) chunks.push(chunk)
      else giveUp()
      if (!passing.write(chunk) && chunks === undefined) {
        isHeld = true
        source.pause()
        return
      }
      rest(chunk)
    })
    passing.on('drain', () => {
      isHeld = false
      // What was given up is nobody's but the visitor's, who has all of it by now.
      if (chunks === undefined) held.release()
      source.resume()
    })
    source.once('end', () => {
      passing.end()
      resolve(chunks && Buffer.concat(chunks))
    })
    source.once('error', (error) => {
      passing.destroy(error)
      giveUp()
    })
    source.once('close', () => {
      if (!source.readableEnded) passing.destroy()
      resolve(undefined)
    })
    passing.once('close', () => {
      // The visitor has taken all of it, or has left.
      held.release()
      // A visitor who leaves ends the answer, as without us.
      if (!source.readableEnded) source.destroy()
    })
  })
  return [passing, whole]
}
