import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createKeyedQueue } from './keyed-queue.ts'

test('work of one key takes turns also after a failure, other keys do not wait, and nothing is kept', async () => {
  const queue = createKeyedQueue()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = queue.run('a', async () => {
    seen.push('first begins')
    await first.promise
    seen.push('first ends')
    throw new Error('no')
  })
  const second = queue.run('a', async () => {
    seen.push('second')
    return 2
  })
  assert.equal(await queue.run('b', async () => 'b'), 'b')
  assert.deepEqual(seen, ['first begins'])
  first.resolve()
  await assert.rejects(failing, /^Error: no$/)
  assert.equal(await second, 2)
  assert.deepEqual(seen, ['first begins', 'first ends', 'second'])
  await setImmediate()
  assert.equal(queue.size, 0)
})
