import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOfTree } from './tree-files.ts'

const file = (path: string, mode = '100644', oid = path) => ({ path, mode, oid, size: 1 })
const link = (path: string) => file(path, '120000')

test('links stand for the file or the folder that they lead to', async () => {
  const targets = new Map([
    ...[['one', 'a/b'] as const, ['all', 'a'] as const, ['twice', 'one'] as const],
    ...[['up', '..'] as const, ['gone', 'x'] as const, ['a/e', '/etc/passwd'] as const],
  ])
  const entries = [file('a-'), file('a/b'), file('a/c/d'), ...[...targets.keys(), 'unread'].map(link)]
  const { files, notes } = await filesOfTree(entries, targets)
  assert.deepEqual(
    files.map(({ path }) => path),
    ['a-', 'a/b', 'a/c/d', 'one', 'all/b', 'all/c/d', 'twice'],
  )
  assert.equal(notes.length, 4)
})

const many = (name: (i: number) => string) => Array.from({ length: 20_000 }, (_, i) => name(i))

test('as many links as files are looked up as quickly as few', async () => {
  const entries = [
    ...many((i) => `files/${i}`).map((path) => file(path)),
    ...many((i) => `links/${i}`).map((path, i) => file(path, '120000', `to ${i % 10}`)),
  ]
  const targets = new Map(
    Array.from({ length: 10 }, (_, i) => [`to ${i}`, i === 1 ? '../files' : '../nowhere']),
  )
  const { files, notes } = await filesOfTree(entries, targets)
  assert.equal(files.length, 30_000)
  assert.equal(notes.length, 18_000)
})

test('links to a folder of links are counted too', async () => {
  let looked = 0
  const inner = many((i) => `links/${i}`).map((path) => ({
    ...file(path, '120000', 'to nowhere'),
    get mode() {
      looked++
      return '120000'
    },
  }))
  const entries = [...inner, ...many((i) => `more/${i}`).map((path) => file(path, '120000', 'to links'))]
  const targets = new Map([
    ['to nowhere', 'x'],
    ['to links', '../links'],
  ])
  assert.deepEqual((await filesOfTree(entries, targets)).files, [])
  assert.ok(looked < 200_000, `${looked}`)
})
