import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashFiles } from '../create/digest.ts'
import { readFiles } from './manifest.ts'

const sha = 'a'.repeat(40)
const read = (...paths: readonly string[]) => readFiles(paths.map((file) => ({ file, sha, size: 1 })))

test('a file is named once, and is no folder of another', async () => {
  await assert.rejects(read('a', 'b', 'a'), /`files\[2\]\.file` repeats "a"/)
  await assert.rejects(read('x/a/b', 'x/c', 'x/a'), /contains "x\/a" both as a file and as a folder/)
  await assert.rejects(read('x/a', 'x/a/b/c'), /contains "x\/a" both/)
  await assert.rejects(read('x/a/b/c', 'x/a/b', 'x'), /contains "x" both/)
  const files = await read('x/a/b', 'x/a-b', 'x/a/c', 'x/ab/c', 'a')
  assert.deepEqual(files.all.keys(), ['x/a/b', 'x/a-b', 'x/a/c', 'x/ab/c', 'a'])
  assert.deepEqual(
    files.all.sorted.map(({ path }) => path),
    ['a', 'x/a-b', 'x/a/b', 'x/a/c', 'x/ab/c'],
  )
})

const paths = fc.array(fc.stringMatching(/^[ab-](?:\/?[ab-]){0,4}$/), { minLength: 1, maxLength: 12 })

test('files are found by their paths, and refused exactly where two are the same or one is in another', async () => {
  await fc.assert(
    fc.asyncProperty(paths, fc.stringMatching(/^[ab/]{1,4}$/), async (list, other) => {
      const names = new Set(list)
      const isRefused =
        names.size < list.length || list.some((path) => list.some((each) => each.startsWith(`${path}/`)))
      if (isRefused) return assert.rejects(read(...list), /repeats|both as a file and as a folder/)
      const { all, inline, hash } = await read(...list)
      assert.deepEqual(all.keys(), list)
      assert.deepEqual(
        all.sorted.map(({ path }) => path),
        list.toSorted(),
      )
      for (const path of [...list, other])
        assert.equal(all.get(path)?.path, names.has(path) ? path : undefined)
      assert.deepEqual(inline, [])
      assert.equal(hash?.digest('hex'), (await hashFiles(all.sorted)).digest('hex'))
    }),
  )
})

test('no path leaves the folder, and none is written in a way that others read differently', async () => {
  for (const path of ['', '/a', 'a/', 'a//b', '.', '..', './a', 'a/.', 'a/./b', 'a/../b', '../a', 'a/..'])
    await assert.rejects(read(path), /Invalid request: `files\[0\]\.file` should not/, path)
  for (const path of ['a\nb', 'a\0', '\x7f', '\x85', '\ud800'])
    await assert.rejects(read(path), /contains control characters/, JSON.stringify(path))
  await assert.rejects(read('x'.repeat(1025)), /at most 1024 characters/)
  for (const path of ['...', '.a', 'a.', '..a/b..', 'a/.b/c', 'é/😀'])
    assert.equal((await read(path)).all.get(path)?.path, path)
})

test('files are in no more folders than a disk has room for', async () => {
  const deep = (i: number) => `${i}${'/a'.repeat(500)}`
  assert.equal((await read(...Array.from({ length: 400 }, (_, i) => deep(i)))).all.sorted.length, 400)
  await assert.rejects(read(...Array.from({ length: 600 }, (_, i) => deep(i))), /at most 250000 folders/)
})
