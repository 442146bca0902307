import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createIpcBus } from '#adapters/bus-ipc/ipc-bus.ts'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import { createRedisBus } from '#adapters/bus-redis/redis-bus.ts'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Log } from '#core/ports/log.ts'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import { createRecordingLog, type RecordingLog } from '#test/support/recording-log.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { silentLog } from '#test/support/silent-log.ts'

interface Opened {
  /** The bus as each process of the installation has it; there may be only one process. */
  readonly buses: readonly [Bus, ...Bus[]]
  readonly close?: () => Promise<void>
}

const ADAPTERS: Record<string, { readonly skip: string | false; open(log: Log): Promise<Opened> }> = {
  'memory-bus': {
    skip: false,
    open: async (log) => ({ buses: [createMemoryBus({ log })] }),
  },
  'bus-ipc': {
    skip: false,
    async open(log) {
      const hub = serveIpcBus()
      const start = (own: Log) => {
        const [client, server] = createChannelPair()
        hub.attach(server)
        return createIpcBus({ channel: client, log: own })
      }
      return { buses: [start(log), start(silentLog), start(silentLog)] }
    },
  },
  'bus-redis': {
    skip: withoutRedis,
    async open(log) {
      const server = await startRedis()
      const start = (own: Log) => createRedisBus({ redis: server.connect(), log: own })
      const buses = [start(log), start(silentLog), start(silentLog)] as const
      await server.untilListening(buses.length)
      return { buses, close: server.stop }
    },
  },
}

/** Gathers what a bus tells about a topic. */
function listen(bus: Bus, topic: string) {
  const heard: string[] = []
  let check = () => {}
  const stop = bus.subscribe(topic, (message) => {
    heard.push(message)
    check()
  })
  const until = (count: number) =>
    new Promise<readonly string[]>((resolve) => {
      check = () => {
        if (heard.length >= count) resolve(heard)
      }
      check()
    })
  return { heard, stop, until }
}

for (const [name, { skip, open }] of Object.entries(ADAPTERS))
  describe(name, { skip }, () => {
    let opened: Opened
    let first: Bus
    let last: Bus
    let log: RecordingLog
    let topics = 0
    const newTopic = () => `topic:${topics++}*`

    before(async () => {
      log = createRecordingLog()
      opened = await open(log)
      first = opened.buses[0]
      last = opened.buses.at(-1) ?? first
    })
    after(async () => {
      await Promise.all(opened?.buses.map((bus) => bus.close()) ?? [])
      await opened?.close?.()
    })

    test('tells every process, the sender included, once and in order', async () => {
      const topic = newTopic()
      const listeners = opened.buses.map((bus) => listen(bus, topic))
      const fences = opened.buses.map((bus) => listen(bus, 'fence'))
      const messages = Array.from({ length: 100 }, (_, i) => `message ${i}`)
      for (const message of messages) first.publish(topic, message)
      first.publish('fence', '')
      await Promise.all(fences.map(({ until }) => until(1)))
      for (const { heard } of listeners) assert.deepEqual(heard, messages)
    })

    test('carries any text', async () => {
      const topic = newTopic()
      const { until } = listen(last, topic)
      const messages = ['', ' ', 'ü😀\u2028\r\n\0"', '{"kind":"bus"}', 'x'.repeat(200_000)]
      for (const message of messages) first.publish(topic, message)
      assert.deepEqual(await until(messages.length), messages)
    })

    test('keeps topics apart', async () => {
      const [one, two] = [newTopic(), newTopic()]
      const other = listen(last, one)
      const { until } = listen(last, two)
      first.publish(`${two}x`, 'longer')
      first.publish(two.slice(0, -1), 'shorter')
      first.publish(two, 'this')
      assert.deepEqual(await until(1), ['this'])
      assert.deepEqual(other.heard, [])
    })

    test('calls no listener before publish has returned', async () => {
      const topic = newTopic()
      const { heard, until } = listen(first, topic)
      first.publish(topic, 'message')
      assert.deepEqual(heard, [])
      await until(1)
    })

    test('who unsubscribes hears no more, while others do', async () => {
      const topic = newTopic()
      const gone = listen(last, topic)
      const kept = listen(last, topic)
      first.publish(topic, 'one')
      await Promise.all([gone.until(1), kept.until(1)])
      gone.stop()
      gone.stop()
      first.publish(topic, 'two')
      assert.deepEqual(await kept.until(2), ['one', 'two'])
      assert.deepEqual(gone.heard, ['one'])
      kept.stop()
      const again = listen(last, topic)
      first.publish(topic, 'three')
      assert.deepEqual(await again.until(1), ['three'])
    })

    test('a function that subscribes twice is two listeners', async () => {
      const topic = newTopic()
      const heard: string[] = []
      const listener = (message: string) => void heard.push(message)
      const stop = last.subscribe(topic, listener)
      last.subscribe(topic, listener)
      const fence = listen(last, topic)
      first.publish(topic, 'one')
      await fence.until(1)
      assert.deepEqual(heard, ['one', 'one'])
      stop()
      first.publish(topic, 'two')
      await fence.until(2)
      assert.deepEqual(heard, ['one', 'one', 'two'])
    })

    test('a listener that fails is logged and keeps nobody else from hearing', async () => {
      const topic = newTopic()
      const failure = new Error('listener broke')
      first.subscribe(topic, () => {
        throw failure
      })
      const { until } = listen(first, topic)
      first.publish(topic, 'one')
      first.publish(topic, 'two')
      assert.deepEqual(await until(2), ['one', 'two'])
      const errors = log.entries.filter(({ level }) => level === 'error')
      assert.deepEqual(
        errors.map(({ fields }) => fields),
        [
          { err: failure, topic },
          { err: failure, topic },
        ],
      )
    })

    test('a closed bus neither tells nor fails', async () => {
      const topic = newTopic()
      const own = await open(silentLog)
      const [closing, ...others] = own.buses
      const { heard } = listen(closing, topic)
      closing.publish(topic, 'on its way')
      await closing.close()
      closing.publish(topic, 'too late')
      const fences = others.map((bus) => ({ bus, fence: listen(bus, topic) }))
      for (const { bus } of fences) bus.publish(topic, 'fence')
      for (const { fence } of fences) await fence.until(others.length)
      assert.deepEqual(heard, [])
      for (const { fence } of fences) assert.ok(!fence.heard.includes('too late'))
      await Promise.all(own.buses.map((bus) => bus.close()))
      await own.close?.()
    })
  })
