import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GitError } from '#core/git/git-repositories.ts'
import { readBatch } from './read-batch.ts'

const oid = 'a'.repeat(40)

test('a content that is larger than it should be is refused before any of it is kept', async () => {
  let sent = 0
  async function* output(size: number) {
    yield Buffer.from(`${oid} blob ${size}\n`)
    for (; sent < size; sent++) yield Buffer.from('x')
    yield Buffer.from('\n')
  }
  const sizes: number[] = []
  for await (const { bytes } of readBatch(output(3), 3)) sizes.push(bytes.length)
  assert.deepEqual(sizes, [3])
  sent = 0
  await assert.rejects(readBatch(output(2 ** 40), 3).next(), GitError)
  assert.equal(sent, 0)
})
