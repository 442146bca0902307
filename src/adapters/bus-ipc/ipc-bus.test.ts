import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Channel } from '../ipc/channel.ts'
import { createIpcBus } from './ipc-bus.ts'
import { serveIpcBus } from './serve-ipc-bus.ts'

const cut: Channel = {
  send: () => {
    throw new Error('the line is cut')
  },
  onMessage: () => {},
}

test('a message that cannot be sent is logged and does not fail the publisher', () => {
  const log = createRecordingLog()
  createIpcBus({ channel: cut, log }).publish('topic', 'message')
  assert.deepEqual(
    log.entries.map(({ level }) => level),
    ['warn'],
  )
})

test('a process that is gone keeps the others from nothing', async () => {
  const [client, server] = createChannelPair()
  serveIpcBus([cut, server, cut])
  const bus = createIpcBus({ channel: client, log: silentLog })
  const heard = new Promise((resolve) => bus.subscribe('topic', resolve))
  bus.publish('topic', 'message')
  assert.equal(await heard, 'message')
})

test('a process that was taken out is neither told nor listened to', async () => {
  const hub = serveIpcBus()
  const [client, server] = createChannelPair()
  const [otherClient, otherServer] = createChannelPair()
  hub.attach(server)
  const detach = hub.attach(otherServer)
  const bus = createIpcBus({ channel: client, log: silentLog })
  const other = createIpcBus({ channel: otherClient, log: silentLog })
  const heard: string[] = []
  other.subscribe('topic', (message) => heard.push(`other ${message}`))
  const fence = new Promise<void>((resolve) => {
    bus.subscribe('topic', (message) => {
      heard.push(message)
      if (message === 'fence') resolve()
    })
  })
  detach()
  other.publish('topic', 'from outside')
  bus.publish('topic', 'fence')
  await fence
  assert.deepEqual(heard, ['fence'])
})

test('when a process dies the others learn that they may have missed what it did last', async () => {
  const hub = serveIpcBus()
  const [client, server] = createChannelPair()
  const [, otherServer] = createChannelPair()
  hub.attach(server)
  const detach = hub.attach(otherServer)
  const bus = createIpcBus({ channel: client, log: silentLog })
  let gaps = 0
  const gap = new Promise<void>((resolve) => bus.onGap?.(() => ++gaps && resolve()))
  const [, stoppedServer] = createChannelPair()
  hub.attach(stoppedServer)()
  detach(true)
  detach(true)
  await gap
  const fence = new Promise((resolve) => bus.subscribe('topic', resolve))
  bus.publish('topic', 'fence')
  await fence
  assert.equal(gaps, 1)
})

test('both ends ignore what others say on the line', async () => {
  const strange = [
    null,
    'text',
    7,
    [],
    {},
    { kind: 'limit.ask' },
    { kind: 'bus' },
    { kind: 'bus', topic: 'topic' },
  ]
  const [client, server] = createChannelPair()
  const passedOn: unknown[] = []
  client.onMessage((message) => passedOn.push(message))
  serveIpcBus([server])
  const bus = createIpcBus({ channel: client, log: silentLog })
  const heard: string[] = []
  const fence = new Promise<void>((resolve) => {
    bus.subscribe('topic', (message) => {
      heard.push(message)
      resolve()
    })
  })
  for (const message of strange) {
    client.send(message)
    server.send(message)
  }
  bus.publish('topic', 'fence')
  await fence
  assert.deepEqual(heard, ['fence'])
  assert.equal(passedOn.length, strange.length + 1)
})
