import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { Redis } from 'ioredis'
import { CompiledQuery, Kysely } from 'kysely'
import { createRedisBus } from '#adapters/bus-redis/redis-bus.ts'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'
import { tried } from '#test/support/attacked.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { makeAuthority } from '#test/support/tls/pki.ts'

const PASSWORD = 'the-password-of-the-store'

/** A server that pretends to be a store, and keeps all that it was told. */
async function impostor(
  answer: (socket: Socket, told: Buffer[]) => void,
): Promise<{ port: number; told(): string; close(): void }> {
  const told: Buffer[] = []
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    answer(socket, told)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    told: () => Buffer.concat(told).toString('latin1'),
    close: () => server.close(),
  }
}

const { key, cert } = await makeAuthority()

describe('a server that pretends to be PostgreSQL', () => {
  const attempt = async (port: number, mode: string): Promise<unknown> => {
    const url = `postgres://aloft:${PASSWORD}@127.0.0.1:${port}/aloft?sslmode=${mode}`
    const db = new Kysely<object>({ dialect: createPostgresDialect({ url, connections: 1 }) })
    try {
      return await db.executeQuery(CompiledQuery.raw('select 1'))
    } finally {
      await db.destroy()
    }
  }

  test('that has no TLS is told nothing where TLS is asked for', async (t) => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const fake = await impostor((socket, told) =>
        socket.on('data', (bytes) => {
          told.push(bytes)
          socket.write('N')
        }),
      )
      await assert.rejects(attempt(fake.port, mode), mode)
      assert.doesNotMatch(fake.told(), /aloft|password/, mode)
      fake.close()
    }
    tried(t, 3)
  })

  test('with a certificate of its own is told nothing', async (t) => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const fake = await impostor((socket, told) => {
        socket.once('data', () => {
          socket.write('S')
          const secure = new TLSSocket(socket, { isServer: true, key, cert })
          // Asks for the password in the clear.
          secure
            .on('error', () => {})
            .on('data', (bytes) => {
              told.push(bytes)
              secure.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
            })
        })
      })
      await assert.rejects(attempt(fake.port, mode), mode)
      assert.doesNotMatch(fake.told(), /aloft|password/, mode)
      fake.close()
    }
    tried(t, 3)
  })
})

test('a server that pretends to be Redis is told nothing where TLS is asked for', async (t) => {
  const fakes = [
    await impostor((socket, told) => socket.on('data', (bytes) => told.push(bytes))),
    await impostor((socket, told) => {
      const secure = new TLSSocket(socket, { isServer: true, key, cert })
      secure.on('error', () => {}).on('data', (bytes) => told.push(bytes))
    }),
  ]
  for (const { port, told, close } of fakes) {
    const client = new Redis(`rediss://:${PASSWORD}@127.0.0.1:${port}`, {
      retryStrategy: () => null,
      connectTimeout: 1500,
    })
    client.on('error', () => {})
    await assert.rejects(client.ping())
    assert.doesNotMatch(told(), /AUTH|the-password/i)
    client.disconnect()
    close()
  }
  tried(t, fakes.length)
})

test('what others send over Redis breaks nothing and carries no state', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const bus = createRedisBus({ redis: redis.connect(), log: silentLog })
  t.after(() => bus.close())
  await redis.untilListening(1)
  const heard: string[] = []
  bus.subscribe('hosts', (message) => heard.push(message))
  const neighbour = redis.connect()
  const messages = [
    '',
    'x',
    '\u0000'.repeat(100),
    'y'.repeat(1_000_000),
    '{"__proto__":{"x":1}}',
    '💥'.repeat(50),
  ]
  for (const message of messages) {
    await neighbour.publish('aloft:bus:hosts', message)
    await neighbour.publish('aloft:bus:', message)
    await neighbour.publish('aloft:bus:__proto__', message)
  }
  await neighbour.publish('aloft:bus:hosts', `${'0'.repeat(36)}last`)
  while (heard.at(-1) !== 'last') await new Promise(setImmediate)
  assert.equal(({} as { x?: number }).x, undefined)
  tried(t, messages.length * 3)
})
