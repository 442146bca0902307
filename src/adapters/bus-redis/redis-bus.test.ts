import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createRedisBus } from './redis-bus.ts'

const BACK = /back on Redis/
const fast = { retryStrategy: () => 20 }

test('Redis bus', { skip: withoutRedis }, async (t) => {
  const server = await startRedis()
  t.after(server.stop)

  await t.test('comes back by itself, says so, and tells nothing it did not hear', async () => {
    const log = createRecordingLog()
    const bus = createRedisBus({ redis: server.connect(fast), log })
    const publisher = server.connect(fast)
    const heard: string[] = []
    bus.subscribe('topic', (message) => heard.push(message))
    let gaps = 0
    bus.onGap(() => gaps++)
    await bus.untilHearing()
    assert.deepEqual(log.entries, [])
    assert.equal(gaps, 1, 'what others said before the first connection was not heard')

    await server.restart()
    assert.equal((await log.saw(BACK)).level, 'warn')
    assert.equal(gaps, 2, 'what others said meanwhile was not heard')
    assert.deepEqual(heard, [])

    const other = createRedisBus({ redis: publisher, log: silentLog })
    const next = new Promise((resolve) => bus.subscribe('topic', resolve))
    other.publish('topic', 'after')
    assert.equal(await next, 'after')
    assert.deepEqual(heard, ['after'])
    await Promise.all([bus.close(), other.close()])
  })

  await t.test(
    'notices that nothing is answered any more, and what it has missed when it is again',
    async () => {
      const log = createRecordingLog()
      const bus = createRedisBus({ redis: server.connect(fast), log })
      await bus.untilHearing()
      const gap = new Promise<void>((resolve) => bus.onGap(resolve))
      server.freeze()
      await log.saw(/does not pass messages on/)
      server.thaw()
      await gap
      await bus.close()
    },
  )

  await t.test('hears nothing of others where its user may not listen, and begins once it may', async () => {
    const log = createRecordingLog()
    const admin = server.connect(fast)
    await admin.call('ACL', 'SETUSER', 'deaf', 'on', '>word', '~*', '+@all', 'resetchannels')
    const bus = createRedisBus({
      redis: server.connect({ ...fast, username: 'deaf', password: 'word' }),
      log,
    })
    await log.saw(/does not pass messages on/)
    assert.equal(bus.isHearing(), false)
    await admin.call('ACL', 'SETUSER', 'deaf', 'allchannels')
    await bus.untilHearing()
    assert.equal(bus.isHearing(), true)
    await bus.close()
  })

  await t.test('hears itself while Redis is down, and warns once', async () => {
    const log = createRecordingLog()
    await server.kill()
    const bus = createRedisBus({ redis: server.connect({ ...fast, maxRetriesPerRequest: 0 }), log })
    const heard: string[] = []
    const all = new Promise<void>((resolve) => {
      bus.subscribe('topic', (message) => {
        if (heard.push(message) === 10) resolve()
      })
    })
    for (let i = 0; i < 10; i++) bus.publish('topic', `message ${i}`)
    await all
    await log.saw(/does not pass messages on/)
    assert.equal(log.entries.length, 1)
    await bus.close()
  })

  await t.test('says what it could not say once Redis is back', async () => {
    await server.restart()
    const log = createRecordingLog()
    const saying = server.connect({
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: () => null,
    })
    const other = createRedisBus({ redis: saying, log })
    await server.untilListening(1)
    await server.kill()
    other.publish('topic', 'meanwhile')
    await log.saw(/does not pass messages on/)
    await server.restart()
    const hearing = createRedisBus({ redis: server.connect(fast), log: silentLog })
    const heard = new Promise((resolve) => hearing.subscribe('topic', resolve))
    await server.untilListening(1)
    await saying.connect()
    assert.equal(await heard, 'meanwhile')
    await Promise.all([hearing.close(), other.close()])
  })

  await t.test('listens once Redis is there, though it was not at the start', async () => {
    await server.kill()
    const bus = createRedisBus({ redis: server.connect(fast), log: silentLog })
    const heard = new Promise((resolve) => bus.subscribe('topic', resolve))
    await server.restart()
    const publisher = server.connect()
    await server.untilListening(1)
    const other = createRedisBus({ redis: publisher, log: silentLog })
    other.publish('topic', 'message')
    assert.equal(await heard, 'message')
    await Promise.all([bus.close(), other.close()])
  })
})
