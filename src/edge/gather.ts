import type { Readable } from 'node:stream'
import { oneATurn } from '#core/chunks.ts'
import type { Answer } from './answer.ts'
import type { HeldAnswer } from './answer-memory.ts'

/** Why there is not all of a body. */
export type NotGathered = 'too-large' | 'no-room' | 'broken'

/**
 * All of a body that is needed as a whole, unless it is longer than this, there is no room for it or it breaks off. One large
 * chunk is taken in a turn. What is held is for the caller to release, when the body is not needed any more.
 */
export function gather(
  body: Answer['body'],
  most: number,
  held: Pick<HeldAnswer, 'grow'>,
): Promise<Buffer | NotGathered> {
  if (body === undefined) return Promise.resolve(Buffer.alloc(0))
  if (Buffer.isBuffer(body)) return Promise.resolve(body.length > most ? 'too-large' : body)
  const source = body as Readable
  // One that broke off before tells of it no more.
  if (source.destroyed) return Promise.resolve('broken')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const rest = oneATurn(source, () => true)
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      const why = size > most ? 'too-large' : held.grow(chunk.length) ? undefined : 'no-room'
      if (why !== undefined) {
        resolve(why)
        chunks.length = 0
        source.destroy()
        return
      }
      chunks.push(chunk)
      rest(chunk)
    })
    source.once('end', () => resolve(Buffer.concat(chunks)))
    source.on('error', () => resolve('broken'))
    source.once('close', () => resolve('broken'))
  })
}
