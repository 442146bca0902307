import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PageQuery } from '#contract/page.ts'
import { type PageRange, readPage } from './page.ts'

const pagesOf = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => b - a)
  return (page: PageQuery) =>
    readPage(page, {
      select: async ({ before, after, limit }: PageRange) =>
        sorted.filter((time) => time < before && time > after).slice(0, limit),
      timeOf: (time) => time,
      show: (time) => `at ${time}`,
    })
}

it('answers a page with where to go on', async () => {
  const page = pagesOf([1, 2, 3, 4])
  assert.deepEqual(await page({ limit: 2 }), {
    items: ['at 4', 'at 3'],
    pagination: { count: 2, next: 3, prev: null },
  })
  assert.deepEqual(await page({ limit: 2, until: 3 }), {
    items: ['at 2', 'at 1'],
    pagination: { count: 2, next: null, prev: 2 },
  })
})

it('answers an empty page where nothing is left', async () => {
  const nothing = { items: [], pagination: { count: 0, next: null, prev: null } }
  assert.deepEqual(await pagesOf([])({ limit: 5 }), nothing)
  assert.deepEqual(await pagesOf([7])({ limit: 5, until: 7 }), nothing)
  assert.deepEqual(await pagesOf([7])({ limit: 5, since: 7 }), nothing)
})

it('answers rows of one moment together, with a page that is longer for it and never shorter', async () => {
  const page = pagesOf([9, 5, 5, 5, 1])
  const first = await page({ limit: 3 })
  assert.deepEqual(first.items, ['at 9', 'at 5', 'at 5', 'at 5'])
  assert.deepEqual(first.pagination, { count: 4, next: 5, prev: null })
  const second = await page({ limit: 3, until: 5 })
  assert.deepEqual([second.items, second.pagination.next], [['at 1'], null])
  // The next page begins with others: nothing is added.
  assert.equal((await page({ limit: 1 })).pagination.count, 1)
  assert.equal((await page({ limit: 4 })).pagination.count, 4)
})

it('answers all rows of one moment where they are more than a page', async () => {
  assert.deepEqual((await pagesOf([5, 5, 5, 1])({ limit: 2 })).pagination, { count: 3, next: 5, prev: null })
  assert.deepEqual((await pagesOf([5, 5, 5])({ limit: 2 })).pagination, { count: 3, next: null, prev: null })
  const since = await pagesOf([5, 5, 5, 1])({ limit: 2, since: 1 })
  assert.deepEqual(since.pagination, { count: 3, next: null, prev: null })
})
