import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdBack } from './hold-back.ts'

function open() {
  const due: (() => void)[] = []
  const sent: number[] = []
  const later = holdBack((work) => {
    due.push(work)
    return undefined as unknown as NodeJS.Timeout
  })
  const hold = (n: number) => later(() => sent.push(n))
  return { due, sent, hold }
}

test('what is held back is sent when its time has come', () => {
  const { due, sent, hold } = open()
  hold(1)
  hold(2)
  assert.deepEqual(sent, [])
  for (const work of due) work()
  assert.deepEqual(sent, [1, 2])
})

test('nothing is sent to somebody who has left', () => {
  const { due, sent, hold } = open()
  hold(1)()
  const leave = hold(2)
  for (const work of due) work()
  leave()
  assert.deepEqual(sent, [2])
})

test('where many are held back, the next ones are sent at once, until there is room again', () => {
  const { due, sent, hold } = open()
  for (let n = 0; n < 1000; n++) hold(n)
  assert.deepEqual(sent, [])
  hold(1000)
  assert.deepEqual(sent, [1000])
  due[0]?.()
  hold(1001)
  assert.deepEqual(sent, [1000, 0])
})
