import { takeAll } from '#core/chunks.ts'
import type { Answer } from './answer.ts'
import type { HeldAnswer } from './answer-memory.ts'

/** Why there is not all of a body. */
type NotGathered = 'too-large' | 'no-room' | 'broken'

/**
 * All of a body that is needed as a whole, unless it is longer than this, there is no room for it or it breaks off. One large
 * chunk is taken in a turn. What is held is for the caller to release, when the body is not needed any more.
 */
export async function gather(
  body: Answer['body'],
  most: number,
  held: Pick<HeldAnswer, 'grow'>,
): Promise<Buffer | NotGathered> {
  if (body === undefined) return Buffer.alloc(0)
  if (Buffer.isBuffer(body)) return body.length > most ? 'too-large' : body
  let why: NotGathered = 'broken'
  let left = most
  try {
    const chunks = await takeAll(body, (bytes) => {
      left -= bytes
      if (left < 0) why = 'too-large'
      else if (!held.grow(bytes)) why = 'no-room'
      if (why !== 'broken') throw new Error(why)
    })
    return Buffer.concat(chunks)
  } catch {
    body.destroy()
    return why
  }
}
