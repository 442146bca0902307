import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Machine } from './machine.ts'
import { machinesFor, regionsReached, shareOf } from './placement.ts'

const machine = (name: string, origin: string, heardAgo = 0): Machine => ({
  ...{ name, origin, heardAgo, role: 'work', version: '1', address: undefined, publicAddresses: [], load: 0 },
  ...{ memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 0, isDraining: false },
})

test('a deployment runs on machines of its regions, and on any where there is none', () => {
  const machines = [machine('a', 'iad1'), machine('b', 'hnd1'), machine('c', 'hnd1')]
  const names = (regions: readonly string[]) => machinesFor(regions, machines).map(({ name }) => name)
  assert.deepEqual(names(['hnd1']), ['b', 'c'])
  assert.deepEqual(names(['hnd1', 'iad1']), ['a', 'b', 'c'])
  assert.deepEqual(names(['bru1']), ['a', 'b', 'c'])
})

test('it says that it is where machines answer, unless all of them are in one place', () => {
  const two = [machine('a', 'iad1'), machine('b', 'hnd1')]
  assert.deepEqual(regionsReached(['hnd1', 'sfo1'], two), ['hnd1'])
  assert.deepEqual(regionsReached(['sfo1'], two), ['hnd1', 'iad1'])
  assert.deepEqual(regionsReached(['sfo1'], []), ['sfo1'])
  assert.deepEqual(regionsReached(['sfo1'], [machine('a', 'iad1'), machine('b', 'iad1')]), ['sfo1'])
  assert.deepEqual(regionsReached(['hnd1', 'sfo1'], [...two, machine('c', 'sfo1', 60_000)]), ['hnd1'])
  // One in several places is not in one because the others are lost.
  assert.deepEqual(regionsReached(['sfo1'], [machine('a', 'iad1'), machine('c', 'sfo1', 60_000)]), ['iad1'])
})

test('the instances that always run are shared out, none is missing and none too many', () => {
  const among = ['c', 'a', 'b']
  for (const deployment of ['dpl_1', 'dpl_2', 'dpl_x'])
    for (const total of [0, 1, 2, 3, 4, 7, 30]) {
      const shares = among.map((name) => shareOf(total, name, { among, deployment }))
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0),
        total,
      )
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1)
    }
})

test('single instances of several deployments are not all on the same machine', () => {
  const among = ['a', 'b']
  const holders = new Set(
    ['dpl_1', 'dpl_2', 'dpl_3', 'dpl_4'].flatMap((deployment) =>
      among.filter((name) => shareOf(1, name, { among, deployment }) === 1),
    ),
  )
  assert.deepEqual(holders, new Set(among))
})
