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

test('a question that nobody can take in is not answered, and one that cannot be sent is given up at once', async () => {
  const [here, there] = wire()
  const DOUBLE: Topic<number, number> = { name: 'double', timeout: 20 }
  answerTo(there, DOUBLE, (n) => {
    if (typeof n !== 'number') throw new TypeError('This is no number')
    return 2 * n
  })
  const ask = createAsk(here, DOUBLE)
  assert.equal(await ask(21), 42)
  assert.equal(await ask('many' as never), undefined)
  const cut: Channel = {
    ...here,
    send() {
      throw new Error('the line is cut')
    },
  }
  assert.equal(await createAsk(cut, { name: 'double' } as typeof DOUBLE)(21), undefined)
})

test('parts of messages are called as earlier versions call them', async () => {
  const [here, there] = wire()
  const heard: unknown[] = []
  for (const end of [here, there]) end.onMessage((message) => heard.push(message))
  const DOUBLE: Topic<number, number> = { name: 'double', parts: { id: 'n', question: 'of', answer: 'is' } }
  answerTo(there, DOUBLE, (n) => 2 * (n as number))
  assert.equal(await createAsk(here, DOUBLE)(21), 42)
  assert.deepEqual(heard, [
    { kind: 'double.ask', n: 1, of: 21 },
    { kind: 'double.answer', n: 1, is: 42 },
  ])
})
