import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import { kindOf } from '#adapters/ipc/channel.ts'
import { alone } from '#adapters/limit-ipc/messages.ts'
import { MINUTE } from '#contract/time.ts'
import { DEPLOYMENTS_TOPIC } from '#core/deployment/deployment-news.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { SITES_TOPIC } from '#core/site/site.ts'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { readConfig } from '../../config/config.ts'
import { openShared } from './shared.ts'

/** Who is asked for a count: answers the kinds of what was sent to the supervisor. */
async function countOnce(t: TestContext, isAlone: boolean): Promise<unknown[]> {
  const sent: unknown[] = []
  const listeners: ((message: unknown) => void)[] = []
  const channel = {
    send(message: unknown) {
      sent.push(kindOf(message))
      const { batch, takes = [] } = message as { batch?: number; takes?: readonly unknown[] }
      const taken = takes.map(() => [true, 1, 0])
      for (const tell of listeners) tell({ kind: 'limit.answer', batch, taken })
    },
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
  }
  const shared = await openShared(readConfig({}), {
    log: silentLog,
    channel,
    clock: systemClock,
  })
  t.after(() => shared.close())
  for (const tell of listeners) tell(alone(isAlone))
  const { allowed } = await shared.limiter.take('ann', { points: 2, ms: MINUTE })
  assert.equal(allowed, true)
  return sent.filter((kind) => kind === 'limit.ask')
}

test('a process that answers the API alone counts requests itself', async (t) => {
  assert.deepEqual(await countOnce(t, true), [])
})

test('several count at their supervisor', async (t) => {
  assert.deepEqual(await countOnce(t, false), ['limit.ask'])
})

test('that a process of this machine has died is heard from the supervisor, also where there is Redis', {
  skip: withoutRedis,
}, async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const hub = serveIpcBus()
  const [channel, server] = createChannelPair()
  const [, dying] = createChannelPair()
  hub.attach(server)
  const end = hub.attach(dying)
  const config = readConfig({ ALOFT_REDIS_URL: `unix://${redis.socket}` })
  const { bus, close } = await openShared(config, { log: silentLog, channel, clock: systemClock })
  t.after(close)
  await bus.untilHearing?.()
  const gap = new Promise<void>((resolve) => bus.onGap?.(resolve))
  end(true)
  await gap
})

onPostgres((_name, open) => {
  test('what a site is moved to and what became of a deployment is heard while Redis is away, and of the rest nothing', {
    skip: withoutRedis,
  }, async (t) => {
    const url = await open()
    const redis = await startRedis()
    const config = readConfig({ ALOFT_REDIS_URL: `unix://${redis.socket}`, ALOFT_DATABASE_URL: url })
    const openBus = () => openShared(config, { log: silentLog, channel: undefined, clock: systemClock })
    const [here, there] = [await openBus(), await openBus()]
    t.after(async () => {
      await Promise.all([here.close(), there.close(), redis.stop()])
      await removeDatabase(url)
    })
    const heard: string[] = []
    const hears = (topic: string, wanted: string) =>
      new Promise<void>((resolve) => {
        there.bus.subscribe(topic, (message) => {
          heard.push(message)
          if (message === wanted) resolve()
        })
      })
    await redis.kill()
    const last = [SITES_TOPIC, DEPLOYMENTS_TOPIC].map((topic) => hears(topic, `last of ${topic}`))
    void hears('jobs', '')
    // Until it listens there, nobody has heard the first ones.
    const telling = setInterval(() => {
      for (const topic of [SITES_TOPIC, DEPLOYMENTS_TOPIC]) here.bus.publish(topic, `last of ${topic}`)
    }, 20)
    t.after(() => clearInterval(telling))
    here.bus.publish('jobs', 'one')
    await Promise.all(last)
    assert.ok(!heard.includes('one'))
  })
})
