import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createUserIds } from './user-ids.ts'

const WHOLE = '         0          0 4294967295\n'

it('gives runs of the same time different users, and different processes different ones', () => {
  const ids = createUserIds(7, WHOLE) ?? assert.fail()
  const taken = Array.from({ length: 64 }, () => ids.take())
  assert.equal(new Set(taken).size, 64)
  const freed = taken[9] ?? assert.fail()
  ids.release(freed)
  assert.equal(ids.take(), freed)
  const neighbour = createUserIds(8, WHOLE)?.take()
  assert.ok(neighbour !== undefined && !taken.includes(neighbour))
})

it('stays within the users of the largest pid and of a small user namespace', () => {
  const highest = createUserIds(4_194_303, WHOLE) ?? assert.fail()
  for (let i = 0; i < 64; i++) assert.ok(highest.take() < 2 ** 31)
  const small = createUserIds(7, '0 100000 65536\n')?.take() ?? assert.fail()
  assert.ok(small > 0 && small < 65_536)
  assert.equal(createUserIds(7, '0 1000 1\n'), undefined)
})
