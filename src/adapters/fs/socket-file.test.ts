import assert from 'node:assert/strict'
import { once } from 'node:events'
import promises, { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listenAt } from './socket-file.ts'

async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-socket-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return { folder, path: join(folder, 'x.sock') }
}

const saying = (word: string): Server => createServer((socket) => socket.end(word))
const closed = (server: Server) => new Promise((resolve) => server.close(resolve))

async function heard(path: string): Promise<string> {
  const socket = connect(path)
  const words = socket.setEncoding('utf8').toArray()
  await once(socket, 'connect')
  return (await words).join('')
}

test('a server that stops leaves the socket of the one that came after it', async (t) => {
  const { folder, path } = await open(t)
  const old = saying('old')
  const first = await listenAt(old, path)
  assert.equal(await heard(path), 'old')
  const next = saying('new')
  const second = await listenAt(next, path)
  await closed(old)
  await first.remove()
  assert.equal(await heard(path), 'new')
  await closed(next)
  await second.remove()
  assert.deepEqual(await readdir(folder), [])
})

test('it takes the place of what a process that died has left, and is the platform’s own', async (t) => {
  const { path } = await open(t)
  await writeFile(path, '')
  const server = saying('here')
  const file = await listenAt(server, path)
  assert.equal(await heard(path), 'here')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await closed(server)
  await file.remove()
})

test('where it cannot listen it says so', async (t) => {
  const { folder } = await open(t)
  await assert.rejects(listenAt(saying('x'), join(folder, 'no folder', 'x.sock')), /EACCES|ENOENT/)
})

test('where the disk has become read-only, it is left for the next one, and nobody is held up', async (t) => {
  const { path } = await open(t)
  const server = saying('here')
  const file = await listenAt(server, path)
  await closed(server)
  const { mock } = t.mock.method(promises, 'rm', async () => {
    throw Object.assign(new Error('read-only file system'), { code: 'EROFS' })
  })
  syncBuiltinESMExports()
  await assert.doesNotReject(file.remove()).finally(() => {
    mock.restore()
    syncBuiltinESMExports()
  })
})
