import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, test } from 'node:test'
import { listenAt, PortTaken } from './listen.ts'
import { namesThisServer } from './local-name.ts'

const servers: Server[] = []
const makeServer = (): Server => {
  const server = createServer()
  servers.push(server)
  return server
}
after(() => {
  for (const server of servers) server.close()
})

test('a port that is taken is an error where it was asked for, and else the next one will do', async () => {
  const request = { host: '127.0.0.1', otherPort: false }
  const { port, url, others } = await listenAt(makeServer, { ...request, port: 0 })
  assert.deepEqual([url, others], [`http://127.0.0.1:${port}`, []])
  await assert.rejects(listenAt(makeServer, { ...request, port }), PortTaken)
  const next = await listenAt(makeServer, { ...request, port, otherPort: true })
  assert.ok(next.port > port)
})

test('it answers by addresses and by names of this machine, and by any where it is open to others', () => {
  const isLocal = namesThisServer('localhost')
  for (const name of ['localhost', 'shop.localhost', '127.0.0.1', '::1', '192.168.1.7'])
    assert.equal(isLocal(name), true, name)
  for (const name of ['stranger.example', 'localhost.example', '']) assert.equal(isLocal(name), false, name)
  assert.equal(namesThisServer('0.0.0.0')('stranger.example'), true)
})
