import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freeSocket } from './places.ts'

async function listen(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-places-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'runner.sock')
  const server = createServer().listen(path)
  await once(server, 'listening')
  return { path, server }
}

test('a socket of a process that is about to end is waited for', async (t) => {
  const { path, server } = await listen(t)
  server.once('connection', () => server.close())
  await freeSocket(path)
  assert.equal(existsSync(path), false)
})

test('a socket that is in use is left alone', async (t) => {
  const { path, server } = await listen(t)
  t.after(() => server.close())
  await assert.rejects(freeSocket(path, 0), /Another process runs programs/)
  assert.equal(existsSync(path), true)
})
