import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOfTree } from './tree-files.ts'

const file = (path: string, mode = '100644') => ({ path, mode, oid: 'a'.repeat(40), size: 1 })
const link = (path: string) => file(path, '120000')

test('links stand for the file or the folder that they lead to', async () => {
  const targets: Readonly<Record<string, string>> = {
    one: 'a/b',
    all: 'a',
    twice: 'one',
    up: '..',
    gone: 'x',
  }
  const entries = [file('a-'), file('a/b'), file('a/c/d'), link('a/e'), ...Object.keys(targets).map(link)]
  const { files, notes } = await filesOfTree(entries, async ({ path }) => targets[path] ?? '/etc/passwd')
  assert.deepEqual(
    files.map(({ path }) => path),
    ['a-', 'a/b', 'a/c/d', 'one', 'all/b', 'all/c/d', 'twice'],
  )
  assert.equal(notes.length, 3)
})

test('as many links as files are looked up as quickly as few', async () => {
  const many = (name: (i: number) => string) => Array.from({ length: 20_000 }, (_, i) => name(i))
  const entries = [
    ...many((i) => `files/${i}`).map((path) => file(path)),
    ...many((i) => `links/${i}`).map(link),
  ]
  const { files, notes } = await filesOfTree(entries, async ({ path }) =>
    path.endsWith('1') ? '../files' : '../nowhere',
  )
  assert.equal(files.length, 30_000)
  assert.equal(notes.length, 18_000)
})
