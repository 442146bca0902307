import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Mutex } from './mutex.ts'

it('gives turns in the order they were asked for, one at a time', async () => {
  const mutex = new Mutex()
  const order: number[] = []
  let inside = 0
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      await mutex.lock(60_000)
      assert.equal(++inside, 1)
      await new Promise(setImmediate)
      order.push(n)
      inside--
      mutex.unlock()
    }),
  )
  assert.deepEqual(order, [1, 2, 3, 4])
})

it('lets go of who waited too long, and goes on with the next', async () => {
  const mutex = new Mutex()
  await mutex.lock(60_000)
  const impatient = mutex.lock(1)
  const patient = mutex.lock(60_000)
  await assert.rejects(impatient, { kind: 'service_unavailable' })
  mutex.unlock()
  await patient
  mutex.unlock()
  await mutex.lock(1)
})
