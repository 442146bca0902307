import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { BlobError } from '#core/ports/blob-store.ts'
import type { IndexRows, Located } from './index/index-rows.ts'
import { type Readers, readBlob, streamBlob, VerifiedNames } from './reading.ts'

const content = Buffer.from('content')
const sha256 = hash('sha256', content)

const at = (packName: string): Located => ({
  sha256,
  size: content.length,
  putAt: 0,
  pack: 1,
  offset: 52,
  packName,
})

/** An index that answers one look-up after the other, over packs of which only one is there. */
function readersOf(answers: readonly (Located | undefined)[]): Readers {
  const left = [...answers]
  const rows = { find: () => (left.length > 1 ? left.shift() : left[0]) } as unknown as IndexRows
  return {
    index: { read: async (work) => work(rows) },
    packs: {
      read: async (name) => {
        if (name === 'there') return content
        throw Object.assign(new Error('gone'), { code: 'ENOENT' })
      },
    },
    large: { open: async () => undefined },
  }
}

test('a pack that was compacted between look-up and read is looked up again', async () => {
  assert.equal(await readBlob(readersOf([at('gone'), at('gone too'), at('there')]), sha256), content)
})

test('a content that was deleted between look-up and read is absent', async () => {
  assert.equal(await readBlob(readersOf([at('gone'), undefined]), sha256), undefined)
})

test('a content whose pack stays away is damaged, not absent', async () => {
  const isCorrupt = (error: unknown) => error instanceof BlobError && error.kind === 'corrupt'
  await assert.rejects(readBlob(readersOf([at('gone')]), sha256), isCorrupt)
})

test('the file of a large content is closed, whether it was read, partly read, or not at all', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-reading-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'large')
  const bytes = Buffer.alloc(1 << 20, 'large')
  await writeFile(file, bytes)
  const name = hash('sha256', bytes)
  for (const range of [undefined, { start: 1 }]) {
    for (const read of ['all', 'some', 'none']) {
      const handle = await open(file)
      const identity = await handle.stat()
      const stream = await streamBlob(
        {
          ...readersOf([undefined]),
          large: {
            open: async () => ({ handle, size: bytes.length, identity, close: () => handle.close() }),
          },
        },
        ...([name, range, new VerifiedNames()] as const),
      )
      assert.ok(stream)
      const closed = once(handle as unknown as EventEmitter, 'close')
      if (read === 'all') assert.deepEqual(await buffer(stream), bytes.subarray(range?.start))
      if (read === 'some') await once(stream, 'readable')
      stream.destroy()
      await closed
      assert.equal(handle.fd, -1)
    }
  }
})
