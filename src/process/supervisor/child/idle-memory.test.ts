import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createIdleTick } from './idle-memory.ts'

const MB = 1024 * 1024

function open(bytes: number) {
  const heap = { bytes, busy: 0, collected: 0 }
  const tick = createIdleTick({
    busy: () => heap.busy,
    bytes: () => heap.bytes,
    collect() {
      heap.collected++
      heap.bytes = 30 * MB
    },
  })
  return { heap, tick }
}

it('collects once a process has become idle, and not again for nothing', () => {
  const { heap, tick } = open(70 * MB)
  tick()
  assert.equal(heap.collected, 0, 'it may have been a pause')
  tick()
  assert.equal(heap.collected, 1)
  for (let n = 0; n < 10; n++) tick()
  assert.equal(heap.collected, 1)
})

it('keeps nobody waiting who asks for something', () => {
  const { heap, tick } = open(70 * MB)
  heap.busy = 0.1
  for (let n = 0; n < 10; n++) tick()
  assert.equal(heap.collected, 0)
})

for (const [what, bytes, ticks] of [
  ['another rush', 50 * MB, 300],
  ['one that took much', 90 * MB, 30],
] as const)
  it(`collects again after ${what}, but not every few seconds`, () => {
    const { heap, tick } = open(70 * MB)
    tick()
    tick()
    heap.busy = 1
    heap.bytes = bytes
    tick()
    heap.busy = 0
    for (let n = 0; n < ticks - 2; n++) tick()
    assert.equal(heap.collected, 1)
    for (let n = 0; n < 2; n++) tick()
    assert.equal(heap.collected, 2)
  })
