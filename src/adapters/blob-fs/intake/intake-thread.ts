import { createHash, type Hash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { freeChunk } from '#core/chunks.ts'
import type { IntakeAnswer, IntakeRequest } from './threaded-intake.ts'

interface Content {
  readonly sha1: Hash
  readonly sha256: Hash
  size: number
}

const contents = new Map<number, Content>()

// On Linux each thread has a priority of its own: the one that answers visitors goes first.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + 10))

parentPort?.on('message', (request: IntakeRequest) => {
  parentPort?.postMessage(answer(request))
})

function answer(request: IntakeRequest): IntakeAnswer {
  try {
    const content = contents.get(request.id) ?? {
      sha1: createHash('sha1'),
      sha256: createHash('sha256'),
      size: 0,
    }
    if ('chunks' in request) {
      contents.set(request.id, content)
      const before = process.threadCpuUsage()
      for (const chunk of request.chunks) take(content, request.fd, chunk)
      const { user, system } = process.threadCpuUsage(before)
      return { ms: (user + system) / 1000 }
    }
    contents.delete(request.id)
    if (request.end === 'drop') return {}
    const { sha1, sha256, size } = content
    return { digest: { sha256: sha256.digest('hex'), sha1: sha1.digest('hex'), size } }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { failure: { message, ...(code === undefined ? {} : { code }) } }
  }
}

function take(content: Content, fd: number, chunk: Uint8Array<ArrayBuffer>): void {
  content.sha1.update(chunk)
  content.sha256.update(chunk)
  for (let written = 0; written < chunk.length; )
    written += writeSync(fd, chunk, written, chunk.length - written, content.size + written)
  content.size += chunk.length
  freeChunk(chunk)
}
