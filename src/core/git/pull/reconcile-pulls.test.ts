import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleSource } from '#test/support/samples.ts'
import type { GitSource } from '../source/source.ts'
import type { Pull } from './pull.ts'
import { type ReconcileParts, reconcilePulls } from './reconcile-pulls.ts'

test('of more new pull requests than one look follows, the others are followed by the next', async () => {
  let source: GitSource = { ...sampleSource({ ownerId: 'a', projectId: 'prj_a' }), pulls: { seen: 5 } }
  const pulls = new Map<number, Pull>()
  const stores = {
    pulls: {
      open: async () => [...pulls.values()],
      find: async (_id: string, number: number) => pulls.get(number),
      save: async (pull: Pull) => void pulls.set(pull.number, pull),
    },
    pushes: { openOf: async () => [], newestOf: async () => undefined, add: async () => {} },
    jobs: { enqueue: async () => '' },
    sources: {
      update: async (_id: string, change: Partial<GitSource>) => {
        source = { ...source, ...change }
      },
    },
  }
  const numbers = Array.from({ length: 125 }, (_, n) => n + 1)
  const refs = new Map(
    // As hosts sort them: by their text.
    numbers
      .toSorted((a, b) => (`${a}` < `${b}` ? -1 : 1))
      .map((number) => [number, { ref: `refs/pull/${number}/head`, commit: 'a'.repeat(40) }] as const),
  )
  const parts = {
    ...{ pulls: stores.pulls, clock: { now: () => 1 }, credentials: { host: async () => undefined } },
    remotes: { pullRefs: async () => refs },
    transact: (work: (all: object) => unknown) => work(stores),
  } as unknown as ReconcileParts
  const look = () =>
    reconcilePulls(parts, source, { access: { url: '' }, refs: new Map() }, new AbortController().signal)
  for (const count of [50, 100, 120, 120]) {
    await look()
    assert.equal(pulls.size, count)
  }
  assert.deepEqual([...pulls.keys()], numbers.slice(5))
  assert.deepEqual(source.pulls, { seen: 125 })
})
