import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import { eachDatabase } from '../../support/database/databases.ts'
import { openStores } from '../../support/database/stores.ts'

const name = (letter: string) => letter.repeat(64)
const content = (letter: string, start: number, putAt: number) => ({
  sha256: name(letter),
  start,
  size: 10,
  putAt,
})

async function addPack(index: ContentIndex, key: string, letters: string, putAt = 100): Promise<number> {
  await index.noteUpload(key, putAt)
  const contents = [...letters].map((letter, n) => content(letter, 52 + n * 62, putAt))
  return index.add({ key, size: letters.length * 62 }, contents)
}

eachDatabase((database, open) => {
  test(`${database}: a content is where it was added first, and a repeat counts as a put`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    assert.equal(await addPack(index, 'packs/1', 'ab'), 2)
    assert.equal(await addPack(index, 'packs/2', 'bc', 200), 1)
    assert.equal(await addPack(index, 'packs/3', 'a', 50), 0)
    const found = await index.find(['a', 'b', 'c', 'd'].map(name))
    assert.deepEqual(
      found.toSorted((x, y) => (x.sha256 < y.sha256 ? -1 : 1)).map(({ object, putAt }) => [object, putAt]),
      [
        ['packs/1', 100],
        ['packs/1', 200],
        ['packs/2', 200],
      ],
    )
    assert.deepEqual([...(await index.touch([name('a'), name('d')], 300))], [name('a')])
    assert.equal((await index.find([name('a')]))[0]?.putAt, 300)
    assert.deepEqual(await index.removable(60, 0, 0, 10), ['packs/3'], 'it was unused from the start')
  })

  test(`${database}: what is removed leaves its object, which is unused once nothing is in it`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    await addPack(index, 'packs/1', 'ab')
    await index.touch([name('b')], 500)
    assert.deepEqual(await index.remove([name('a'), name('b')], 400, 1000), [name('a')])
    assert.deepEqual(await index.removable(2000, 0, 0, 10), [])
    await index.forget('packs/1')
    assert.equal((await index.find([name('b')])).length, 1)
    assert.deepEqual(await index.remove([name('b')], Number.POSITIVE_INFINITY, 1000), [name('b')])
    assert.deepEqual(await index.removable(1000, 0, 0, 10), [])
    assert.deepEqual(await index.removable(1001, 0, 0, 10), ['packs/1'])
    await index.forget('packs/1')
    assert.deepEqual(await index.removable(2000, 0, 0, 10), [])
  })

  test(`${database}: nothing is put into an object that was forgotten while it was uploaded`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    await addPack(index, 'packs/1', 'a')
    const object = { key: 'packs/2', size: 62 }
    await index.noteUpload(object.key, 100)
    await index.forget(object.key)
    await assert.rejects(index.add(object, [content('b', 52, 100)]), isUnavailable)
    const copies = await index.contentsOf('packs/1')
    await assert.rejects(index.move('packs/1', object, copies, 200), isUnavailable)
    assert.deepEqual(await index.find([name('b')]), [])
    assert.equal((await index.find([name('a')]))[0]?.object, 'packs/1')
  })

  test(`${database}: an object in which something was found damaged is kept for long, also when it has become empty`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    await addPack(index, 'packs/1', 'ab')
    const place = { sha256: name('a'), object: 'packs/1', start: 52 }
    assert.equal(await index.removeAt({ ...place, start: 53 }, 500), false)
    assert.equal(await index.removeAt({ ...place, object: 'packs/2' }, 500), false)
    assert.equal(await index.removeAt(place, 500), true)
    assert.equal(await index.removeAt(place, 500), false)
    assert.deepEqual(await index.wasteful(10), [])
    assert.deepEqual(await index.removable(9000, 9000, 9000, 10), [], 'something is in it')
    await index.remove([name('b')], Number.POSITIVE_INFINITY, 1000)
    assert.deepEqual(await index.removable(9000, 9000, 1000, 10), [])
    assert.deepEqual(await index.removable(0, 0, 1001, 10), ['packs/1'])
    await index.forget('packs/1')
    assert.deepEqual(await index.removable(9000, 9000, 9000, 10), [])
  })

  test(`${database}: only what is still in a pack moves out of it`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    await addPack(index, 'packs/1', 'abc')
    const before = await index.contentsOf('packs/1')
    await index.remove([name('c')], Number.POSITIVE_INFINITY, 200)
    await index.noteUpload('packs/2', 300)
    const copies = before.map((each) => ({ ...each, object: 'packs/2', start: each.start + 1000 }))
    await index.move('packs/1', { key: 'packs/2', size: 186 }, copies, 300)
    assert.deepEqual(
      (await index.contentsOf('packs/2')).map(({ start }) => start).toSorted((a, b) => a - b),
      [1052, 1114],
    )
    assert.deepEqual(await index.removable(301, 0, 0, 10), ['packs/1'])
    assert.deepEqual(await index.find([name('c')]), [])
    assert.deepEqual(
      (await index.wasteful(10)).map(({ key }) => key),
      ['packs/2'],
    )
  })

  test(`${database}: those who add, repeat and remove the same contents at once do not undo each other`, async (t) => {
    const { database } = await openStores(t, open)
    const index = createContentIndex(database.db)
    const letters = 'abcdef0123456789'
    const names = [...letters].map(name)
    for (let round = 1; round <= 10; round += 1) {
      const put = async (key: string) => {
        const there = await index.touch(names, round * 100)
        const rest = [...letters].filter((letter) => !there.has(name(letter))).join('')
        if (rest !== '') await addPack(index, key, rest, round * 100)
      }
      await Promise.all([
        put(`packs/${round}-1`),
        index.remove(names.toReversed(), round * 100, round * 100),
        put(`packs/${round}-2`),
      ])
      assert.equal((await index.find(names)).length, names.length)
    }
    const rows = await database.db
      .selectFrom('content_objects')
      .select(['key', 'live', 'state'])
      .where('live', '>', 0)
      .execute()
    assert.equal(
      rows.reduce((sum, { live }) => sum + Number(live), 0),
      names.length * 62,
    )
    assert.ok(rows.every(({ state }) => state === 'ready'))
  })
})
