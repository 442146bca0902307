import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { clockOf } from '#test/support/clock.ts'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import type { Channel } from '../ipc/channel.ts'
import { createMemoryLimiter } from '../limit-memory/memory-limiter.ts'
import { createIpcLimiter } from './ipc-limiter.ts'
import { serveIpcLimiter } from './serve-ipc-limiter.ts'

const window = { points: 2, ms: MINUTE }
const NOW = Date.UTC(2031, 1, 3)
const clock = clockOf(() => NOW)
const PASSED = { allowed: true, remaining: 2, resetAt: NOW + MINUTE }

/** A channel whose other end is the test. */
function createTestChannel() {
  const sent: unknown[] = []
  let deliver: (message: unknown) => void = () => {}
  const channel: Channel = {
    send: (message) => void sent.push(message),
    onMessage: (listener) => {
      deliver = listener
    },
  }
  return { channel, sent, deliver: (message: unknown) => deliver(message) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('requests of one turn travel in one message, and so do their answers', async () => {
  const [client, server] = createChannelPair()
  const counts = { asked: 0, answered: 0 }
  client.onMessage(() => counts.answered++)
  server.onMessage(() => counts.asked++)
  serveIpcLimiter(server, createMemoryLimiter())
  const limiter = createIpcLimiter(client, { timeout: MINUTE })
  const taken = await Promise.all(
    Array.from({ length: 50 }, (_, i) => limiter.take(`user ${i % 10}`, window)),
  )
  assert.deepEqual(counts, { asked: 1, answered: 1 })
  assert.deepEqual(
    taken.map(({ allowed }) => allowed),
    Array.from({ length: 50 }, (_, i) => i < 20),
  )
  await limiter.take('user 1', window)
  assert.deepEqual(counts, { asked: 2, answered: 2 })
})

test('an answer that has come counts, however late this process comes to look', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[there]] = (await Promise.all([once(server, 'connection'), once(here, 'connect')])) as [
    [Socket],
    unknown,
  ]
  t.after(() => {
    here.destroy()
    there.destroy()
    server.close()
  })
  const channel: Channel = {
    send() {
      there.write(JSON.stringify({ kind: 'limit.answer', batch: 1, taken: [[false, 0, 0]] }))
      // Longer than it may take: the time is over by the next turn, and the answer lies ready.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    },
    onMessage: (listener) => void here.on('data', (data) => listener(JSON.parse(String(data)))),
  }
  assert.equal((await createIpcLimiter(channel, { timeout: 5 }).take('ann', window)).allowed, false)
})

test('requests pass when the supervisor does not answer in time, and a late answer is ignored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { channel, sent, deliver } = createTestChannel()
  const limiter = createIpcLimiter(channel, { clock, timeout: 250 })
  const taken = [limiter.take('ann', window), limiter.take('bob', window)]
  await turn()
  assert.equal(sent.length, 1)
  let settled = false
  void Promise.race(taken).then(() => {
    settled = true
  })
  t.mock.timers.tick(249)
  await turn()
  assert.equal(settled, false)
  t.mock.timers.tick(1)
  assert.deepEqual(await Promise.all(taken), [PASSED, PASSED])
  deliver({ kind: 'limit.answer', batch: 1, taken: [[false, 0, 0]] })

  const next = limiter.take('ann', window)
  await turn()
  deliver({ kind: 'limit.answer', batch: 1, taken: [[false, 0, 0]] })
  deliver({ kind: 'limit.answer', batch: 2, taken: [[false, 0, NOW]] })
  assert.deepEqual(await next, { allowed: false, remaining: 0, resetAt: NOW })
})

test('requests pass at once when nothing can be sent', async () => {
  const channel: Channel = {
    send: () => {
      throw new Error('the line is cut')
    },
    onMessage: () => {},
  }
  assert.deepEqual(await createIpcLimiter(channel, { clock, timeout: 250 }).take('ann', window), PASSED)
})

test('a request without an answer among the answers passes', async () => {
  const { channel, deliver } = createTestChannel()
  const limiter = createIpcLimiter(channel, { clock, timeout: 250 })
  const taken = Promise.all([limiter.take('ann', window), limiter.take('ann', window)])
  await turn()
  deliver({ kind: 'limit.answer', batch: 1, taken: [[false, 0, NOW]] })
  assert.deepEqual(await taken, [{ allowed: false, remaining: 0, resetAt: NOW }, PASSED])
})

test('both ends ignore what others say on the line', async () => {
  const strange = [null, 'text', 7, [], {}, { kind: 'bus' }, { kind: 'limit.ask' }, { kind: 'limit.answer' }]
  const broken = [
    { kind: 'limit.ask', batch: 1, takes: 'x' },
    { kind: 'limit.ask', batch: 1, takes: [null] },
    { kind: 'limit.ask', batch: 1, takes: [['ann', 'many', 1]] },
    { kind: 'limit.answer', batch: 99, taken: [] },
  ]
  const server = createTestChannel()
  const client = createTestChannel()
  serveIpcLimiter(server.channel, createMemoryLimiter())
  const taken = createIpcLimiter(client.channel, { timeout: MINUTE }).take('ann', window)
  await turn()
  for (const message of [...strange, ...broken]) {
    server.deliver(message)
    client.deliver(message)
  }
  await turn()
  assert.deepEqual(server.sent, [])
  client.deliver({ kind: 'limit.answer', batch: 1, taken: [[true, 1, NOW]] })
  assert.equal((await taken).remaining, 1)
})

test('a counter that fails lets requests pass', async () => {
  const failing: RateLimiter = { take: () => Promise.reject(new Error('broken')) }
  const [client, server] = createChannelPair()
  serveIpcLimiter(server, failing)
  const { allowed, remaining } = await createIpcLimiter(client, { timeout: MINUTE }).take('ann', window)
  assert.deepEqual([allowed, remaining], [true, 2])
})

test('the supervisor survives a process that ends before it is answered', async () => {
  const { channel, deliver } = createTestChannel()
  const dead: Channel = {
    ...channel,
    send: () => {
      throw new Error('the line is cut')
    },
  }
  serveIpcLimiter(dead, createMemoryLimiter())
  deliver({ kind: 'limit.ask', batch: 1, takes: [['ann', 1, MINUTE]] })
  await turn()
})
