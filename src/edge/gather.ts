import type { Readable } from 'node:stream'
import { oneATurn } from '#core/chunks.ts'
import type { Answer } from './answer.ts'

/** All of a body that is needed as a whole, unless it is longer than this or breaks off. One large chunk is taken in a turn. */
export function gather(body: Answer['body'], most: number): Promise<Buffer | 'too-large' | 'broken'> {
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
      if (size > most) {
        resolve('too-large')
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
