import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deployed } from '../deploying.ts'
import { type Installation, install, TWO_SERVING } from '../installation.ts'
import { copyProgram } from '../program/program-copy.ts'
import { Load, type LoadResult, type LoadTarget } from './load.ts'

const FILES = {
  'index.html': 'a page',
  'api/hello.js': `module.exports = (req, res) => res.json({ greeting: 'hello', pid: process.pid })\n`,
  'api/events.js': `module.exports = (req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.write('data: first\\n\\n')
}
`,
  // Says back what it is told, frame by frame, and closes when the other side does, as WebSocket libraries do.
  'api/chat.js': `const { createHash } = require('node:crypto')
const server = require('node:http').createServer((req, res) => res.end('plain'))
server.on('upgrade', (req, socket) => {
  const key = req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n')
  socket.on('error', () => {}).on('data', (data) => socket.write(data)).on('end', () => socket.end())
})
module.exports = server
`,
  'vercel.json': JSON.stringify({ functions: { 'api/events.js': { maxDuration: 300 } } }),
}

export interface Scene {
  readonly aloft: Installation
  readonly host: string
  readonly targets: readonly LoadTarget[]
  upgrade(version: string): Promise<void>
  close(): Promise<void>
}

/** An installation whose program can be replaced, with a site of a page and of functions. */
export async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-program-'))
  const { main, upgrade } = await copyProgram(folder)
  const settings = { ALOFT_RATE_LIMIT: '100000000', ALOFT_HANG_SECONDS: '120' }
  const built = await install({ env: settings })
  const { url: host } = await deployed(built, { name: 'restarted', files: FILES }).finally(() => built.stop())
  // What builds need is only beside the original.
  const aloft = await built.restart({
    program: [process.execPath, main],
    env: { ...TWO_SERVING, ...settings },
  })
  return {
    ...{ aloft, host, upgrade },
    targets: [
      { host, path: '/', expected: /^a page$/ },
      { host, path: '/api/hello', expected: /^\{"greeting":"hello"/ },
      {
        host: `127.0.0.1:${aloft.port}`,
        path: '/v2/user',
        headers: { authorization: `Bearer ${aloft.token}` },
        expected: /operator@aloft\.test/,
      },
    ],
    async close() {
      await aloft.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const startLoad = ({ aloft, targets }: Scene, connections: number, pauseMs = 0): Load => {
  const load = new Load({ port: aloft.port, tlsPort: aloft.tlsPort, targets, connections, pauseMs })
  load.start()
  return load
}

export interface Status {
  readonly version: string
  readonly processes: readonly { readonly pid: number; readonly role: string }[]
}

export async function statusOf(aloft: Installation): Promise<Status> {
  const answer = await fetch(`${aloft.url}/v1/operator/status`, {
    headers: { authorization: `Bearer ${aloft.token}`, connection: 'close' },
  })
  return (await answer.json()) as Status
}

/** Replaces every process and waits until those before have ended. */
export async function restartNow(aloft: Installation): Promise<void> {
  const before = aloft.stderr().length
  process.kill(aloft.process.pid as number, 'SIGUSR2')
  await oldOnesEnded(aloft, before)
}

/** Waits until a restart that was asked for when so much of the log was there has ended. */
export async function oldOnesEnded(aloft: Installation, before: number): Promise<void> {
  while (!/the old processes have stopped/.test(aloft.stderr().slice(before))) {
    assert.doesNotMatch(aloft.stderr().slice(before), /nothing was restarted/)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export function assertNoneFailed({ failed, answered }: LoadResult): void {
  assert.deepEqual(Object.fromEntries(failed), {}, `of ${answered} and more`)
}
