import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allFiles, firstFile, foldersOf, type TreeEntry, visibleRows } from './file-tree.ts'

const TREE: readonly TreeEntry[] = [
  { name: 'a.txt', type: 'file', uid: '1' },
  {
    name: 'src',
    type: 'directory',
    children: [
      { name: 'deep', type: 'directory', children: [{ name: 'x.js', type: 'file', uid: '3' }] },
      { name: 'index.ts', type: 'file', uid: '2' },
    ],
  },
]
const paths = (rows: readonly { path: string }[]) => rows.map(({ path }) => path)

test('folders come first, and what is in a closed one is not seen', () => {
  assert.deepEqual(paths(visibleRows(TREE, new Set())), ['src', 'a.txt'])
  assert.deepEqual(paths(visibleRows(TREE, new Set(['src']))), ['src', 'src/deep', 'src/index.ts', 'a.txt'])
  assert.deepEqual(paths(visibleRows(TREE, new Set(foldersOf('src/deep/x.js')))), [
    'src',
    'src/deep',
    'src/deep/x.js',
    'src/index.ts',
    'a.txt',
  ])
})

test('files are found by their paths', () => {
  assert.deepEqual(paths(allFiles(TREE)), ['a.txt', 'src/deep/x.js', 'src/index.ts'])
  assert.equal(firstFile(allFiles(TREE))?.path, 'src/index.ts')
  assert.deepEqual(foldersOf('a.txt'), [])
})
