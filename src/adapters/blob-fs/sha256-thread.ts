import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashRequest } from './sha256-worker.ts'

const open = new Map<number, Hash>()

parentPort?.on('message', (request: HashRequest) => {
  const sha256 = open.get(request.id) ?? createHash('sha256')
  let answer = ''
  if ('block' in request) {
    open.set(request.id, sha256.update(new Uint8Array(request.block, 0, request.length)))
  } else {
    open.delete(request.id)
    if (request.end === 'digest') answer = sha256.digest('hex')
  }
  parentPort?.postMessage(answer)
})
