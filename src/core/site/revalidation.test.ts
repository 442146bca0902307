import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERYTHING, RevalidatedTags, readRevalidations } from './revalidation.ts'

const kindOf = (tags: RevalidatedTags, own: string[], madeAt: number, now = madeAt) =>
  tags.stateOf(own, madeAt, now).kind

test('what was made before one of its tags was revalidated is expired, and what is made after is fresh', () => {
  const tags = new RevalidatedTags()
  assert.equal(kindOf(tags, ['a'], 1), 'fresh')
  tags.add({ tags: ['a', 'b'], at: 100 })
  assert.equal(kindOf(tags, ['x', 'b'], 99), 'expired')
  assert.equal(kindOf(tags, ['b'], 100), 'expired')
  assert.equal(kindOf(tags, ['b'], 101), 'fresh')
  assert.equal(kindOf(tags, ['c'], 1), 'fresh')
})

test('with time to expire it is stale until then, and an earlier word is not taken back', () => {
  const tags = new RevalidatedTags()
  tags.add({ tags: ['a'], at: 1000 })
  tags.add({ tags: ['a'], at: 5000, expire: 10 })
  assert.equal(kindOf(tags, ['a'], 500, 6000), 'expired')
  assert.equal(kindOf(tags, ['a'], 2000, 6000), 'stale')
  assert.equal(kindOf(tags, ['a'], 2000, 15_000), 'expired')
  assert.equal(kindOf(tags, ['a'], 6000, 15_000), 'fresh')
  const copy = new RevalidatedTags()
  for (const one of tags.revalidations()) copy.add(one)
  assert.deepEqual([...copy.revalidations()], [...tags.revalidations()])
})

test('there is a bound to tags, past which everything is revalidated', () => {
  const tags = new RevalidatedTags()
  for (let i = 0; i <= 1000; i++) tags.add({ tags: [`t${i}`], at: i + 1 })
  assert.deepEqual([...tags.times()], [[EVERYTHING, 1001]])
  assert.equal(kindOf(tags, ['anything'], 1001), 'expired')
  assert.equal(kindOf(tags, [], 1002), 'fresh')
})

test('a program says it in a header', () => {
  assert.deepEqual(readRevalidations('tag=a%2Cb&tag=%C3%BC,expire=60&tag=c', 7), [
    { tags: ['a,b', 'ü'], at: 7 },
    { tags: ['c'], at: 7, expire: 60 },
  ])
  for (const text of ['', 'expire=1', 'tag=', `tag=${'x'.repeat(300)}`, '%%%'])
    assert.deepEqual(readRevalidations(text, 7), [])
})
