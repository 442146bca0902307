import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { fetchObjects } from './repository-folder.ts'

test('of several who bring the same objects at once, each finds them whole', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-objects-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = 'ab/cdef'
  const contents = new Map([[path, { sha256: 'a'.repeat(64), size: 300_000 }]])
  const file = join(folder, 'objects', path)
  const pieces = ['x', 'y', 'z'].map((letter) => letter.repeat(100_000))
  /** One of them is slower than the other. */
  const fetch = (turns: number) =>
    fetchObjects(folder, contents, {
      async open() {
        return Readable.from(
          (async function* () {
            for (const piece of pieces) {
              for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve))
              yield Buffer.from(piece)
            }
          })(),
          { objectMode: false },
        )
      },
    }).then(async () => assert.equal((await readFile(file, 'utf8')).length, 300_000))
  await Promise.all([fetch(1), fetch(200), fetch(20)])
  assert.deepEqual(await readdir(join(folder, 'objects/ab')), ['cdef'])
})
