import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkTree } from './file-tree.ts'

const walk = async (...paths: readonly string[]): Promise<string> => {
  const files = paths.map((path) => ({ path, sha1: path, sha256: '', size: 1, mode: 0o100644 }))
  let text = ''
  for await (const steps of walkTree(files))
    for (const step of steps)
      text += step.kind === 'close' ? ') ' : step.kind === 'open' ? `${step.name}( ` : `${step.name} `
  return text.trimEnd()
}

test('folders nest, and names are in alphabetical order, be they of files or of folders', async () => {
  assert.equal(await walk(), '')
  assert.equal(await walk('b', 'a'), 'a b')
  assert.equal(
    await walk('a-b', 'a/z', 'a.txt', 'a/b/c/d', 'a/b.txt', 'b/a/x', 'c', 'a/b/c2'),
    'a( b( c( d ) c2 ) b.txt z ) a-b a.txt b( a( x ) ) c',
  )
  assert.equal(await walk('x/y/z', 'x/a'), 'x( a y( z ) )')
})

test('a large tree comes in many pieces, and is whole', async () => {
  const paths = Array.from({ length: 10_000 }, (_, n) => `d${n % 100}/f${n}`)
  let [pieces, files, depth] = [0, 0, 0]
  for await (const steps of walkTree(
    paths.map((path) => ({ path, sha1: '', sha256: '', size: 1, mode: 1 })),
  )) {
    pieces++
    for (const { kind } of steps)
      if (kind === 'file') files++
      else depth += kind === 'open' ? 1 : -1
  }
  assert.ok(pieces > 10)
  assert.deepEqual([files, depth], [10_000, 0])
})
