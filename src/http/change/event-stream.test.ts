import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createEventStream } from './event-stream.ts'

test('events are told in the words of the standard, until the end', async () => {
  let gone = 0
  const stream = createEventStream(() => gone++)
  stream.send('change', { kind: 'secret' })
  stream.comment()
  stream.end()
  stream.send('change', { kind: 'late' })
  assert.equal(await text(stream.body), 'retry: 2000\n\nevent: change\ndata: {"kind":"secret"}\n\n:\n\n')
  assert.equal(gone, 1)
})

test('who does not read is dropped, and what waited for them is not kept', async () => {
  let gone = 0
  const stream = createEventStream(() => gone++, 1000)
  const closed = once(stream.body, 'close')
  for (let i = 0; i < 1000; i++) stream.send('change', { kind: 'deployment', id: String(i) })
  await closed
  assert.equal(gone, 1)
  assert.ok(stream.body.destroyed)
})
