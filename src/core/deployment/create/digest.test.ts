import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashFiles } from './digest.ts'

const files = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^[a-c./é😀-]{1,8}$/u),
    sha1: fc.stringMatching(/^[0-9a-f]{4}$/),
    mode: fc.constantFrom(0o100644, 0o100755),
  }),
  { selector: ({ path }) => path, maxLength: 600 },
)

test('files have the hash of their lines', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      const sorted = [...list].sort((a, b) => (a.path < b.path ? -1 : 1))
      const text = sorted.map(({ path, sha1, mode }) => `${path}\0${sha1}\0${mode}\n`).join('')
      const expected = createHash('sha256').update(text).digest('hex')
      assert.equal((await hashFiles(sorted)).digest('hex'), expected)
    }),
    { numRuns: 30 },
  )
})
