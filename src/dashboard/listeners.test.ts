import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListeners } from './listeners.ts'

test('listeners are told until they leave, from what begins with the first and ends with the last', () => {
  const seen: string[] = []
  const { tell, subscribe } = createListeners(() => {
    seen.push('begin')
    return () => seen.push('end')
  })
  const leave = subscribe(() => seen.push('first'))
  const leaveToo = subscribe(() => seen.push('second'))
  tell()
  leave()
  tell()
  leaveToo()
  leaveToo()
  tell()
  assert.deepEqual(seen, ['begin', 'first', 'second', 'second', 'end'])
})
