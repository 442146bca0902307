import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { deployed } from '#test/support/deploying.ts'
import { type Installation, install } from '#test/support/installation.ts'
import { until } from '#test/support/until.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const FILES = 400

let aloft: Installation

before(async () => {
  aloft = await install({
    program: ['sh', '-c', `ulimit -n ${FILES} && exec "$0" "$1"`, process.execPath, MAIN],
    // What one process may have open is each one's own.
    env: { ALOFT_WORKERS: '1', ALOFT_LOG_LEVEL: 'debug', ALOFT_HANG_SECONDS: '120' },
  })
})
after(() => aloft?.remove())

const open = async (): Promise<Socket> => {
  const socket = connect(aloft.port, '127.0.0.1').on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

const head = (on: string, more = '') =>
  `${on} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${aloft.token}\r\n${more}\r\n`

test('an upload that its sender breaks off is no fault of ours', async () => {
  const before = aloft.stderr().length
  const socket = await open()
  const digest = createHash('sha1').update('whatever').digest('hex')
  socket.write(
    `${head('POST /v2/platform/files', `Content-Length: 100000\r\nx-platform-digest: ${digest}\r\n`)}a part`,
  )
  await new Promise((resolve) => setTimeout(resolve, 200))
  socket.destroy()
  await until(() => /aborted by the client|a request failed/.test(aloft.stderr().slice(before)))
  assert.doesNotMatch(aloft.stderr().slice(before), /"level":50/)
})

test('who follows a quiet log and ends the connection is let go at once', async () => {
  const { id } = await deployed(aloft, { name: 'quiet', files: { 'index.html': 'a page' } })
  const socket = await open()
  socket.write(head(`GET /v2/platform/deployments/${id}/events?follow=1`))
  await once(socket, 'data')
  // Its side only: ours is what has to be ended.
  socket.end()
  socket.resume()
  await once(socket, 'close')
})

test('with few descriptors, refused connections are said once, and doctor is answered', async () => {
  const quiet = await Promise.all(Array.from({ length: FILES }, open))
  await until(() => /connections are refused/.test(aloft.stderr()))
  const said = () => aloft.stderr().match(/connections are refused/g)?.length
  const answered = async () =>
    fetch(`${aloft.url}/v1/operator/status`, {
      headers: { authorization: `Bearer ${aloft.token}`, connection: 'close' },
    }).then(
      ({ status }) => status,
      () => 0,
    )
  // The quiet ones make room.
  while ((await answered()) === 0) await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(await answered(), 200)
  assert.equal(said(), 1)
  assert.doesNotMatch(aloft.stderr(), /EMFILE/)
  for (const socket of quiet) socket.destroy()
})
