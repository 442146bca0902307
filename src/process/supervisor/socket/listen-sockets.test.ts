import assert from 'node:assert/strict'
import type { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { openSockets } from './listen-sockets.ts'

/** A machine that, like most, has `localhost` lead to the loopback of IPv6 first. */
const find = (async (_host: string, { order }: { readonly order?: string } = {}) =>
  order === 'ipv4first'
    ? { address: '127.0.0.1', family: 4 }
    : { address: '::1', family: 6 }) as typeof lookup

test('a name that has addresses of both kinds is listened on at the older one', async (t) => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const sockets = await openSockets(
    { host: 'localhost', port, tlsPort: 0, dnsPort: 0, sshPort: 0, workers: 1 },
    find,
  )
  t.after(() => sockets.close())
  const server = createServer().listen({ fd: sockets.numbers.http[0] })
  await once(server, 'listening')
  assert.equal((server.address() as AddressInfo).address, '127.0.0.1')
  server.close()
})
