import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { Channel } from '#adapters/ipc/channel.ts'
import { answerTo, createAsk, type Topic } from './ask.ts'

/** Both ends of a wire that carries JSON, as the one between processes does. */
function wire(): [Channel, Channel] {
  const ends = [new EventEmitter(), new EventEmitter()] as const
  const end = (mine: EventEmitter, other: EventEmitter): Channel => ({
    send: (message) => void setImmediate(() => other.emit('message', JSON.parse(JSON.stringify(message)))),
    onMessage: (listener) => void mine.on('message', listener),
  })
  return [end(ends[0], ends[1]), end(ends[1], ends[0])]
}

const NAME: Topic<string> = { name: 'name', timeout: 20 }
const AGE: Topic<number> = { name: 'age' }

test('each question gets its own answer, whatever the order they come in', async () => {
  const [here, there] = wire()
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let asked = 0
  answerTo(there, { name: 'name' }, () => (answers[asked++] as { promise: Promise<string> }).promise)
  answerTo(there, AGE, () => 7)
  const ask = createAsk(here, { name: 'name' } as Topic<string>)
  const [first, second, age] = [ask(), ask(), createAsk(here, AGE)()]
  assert.equal(await age, 7)
  answers[1]?.resolve('second')
  assert.equal(await second, 'second')
  answers[0]?.resolve('first')
  assert.equal(await first, 'first')
})

test('who does not answer, or fails to, is not waited for', async () => {
  const [here, there] = wire()
  const ask = createAsk(here, NAME)
  assert.equal(await ask(), undefined)
  answerTo(there, NAME, () => Promise.reject(new Error('no')))
  assert.equal(await ask(), undefined)
})
