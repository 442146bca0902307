import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ContentIndex } from '#adapters/blob-s3/content-index.ts'
import { claimStore, refuseForgottenStore } from './contents.ts'

const settings = { ensure: async () => 'one' }
const indexOf = (contents: number): Pick<ContentIndex, 'page'> => ({
  page: async () => Array.from({ length: contents }, (_, n) => ({ sha256: `${n}`, size: 1, putAt: 0 })),
})

/** What is read from the store each time, the last one again and again; and what was written to it. */
const markerOf = (...marks: (string | undefined)[]) => {
  const written: string[] = []
  return {
    written,
    read: async () => (marks.length > 1 ? marks.shift() : marks[0]),
    write: async (installation: string) => void written.push(installation),
  }
}

describe('the mark of an object store', () => {
  it('is written where there is none and nothing was stored', async () => {
    const marker = markerOf(undefined)
    await claimStore(marker, indexOf(0), settings)
    assert.deepEqual(marker.written, ['one'])
  })

  it('stays as it is where it is that of the installation, even if another machine has just written it', async () => {
    for (const marker of [markerOf('one'), markerOf(undefined, 'one')]) {
      await claimStore(marker, indexOf(1), settings)
      assert.deepEqual(marker.written, [])
    }
  })

  it('refuses the store of another installation, and one that has lost it', async () => {
    for (const [marker, reason] of [
      [markerOf('another'), /another installation/],
      [markerOf(undefined), /not the one that contains the files/],
    ] as const) {
      await assert.rejects(claimStore(marker, indexOf(1), settings), reason)
      assert.deepEqual(marker.written, [])
    }
  })

  it('is asked for where contents are in a store that the settings do not name', async () => {
    await refuseForgottenStore(indexOf(0))
    await assert.rejects(refuseForgottenStore(indexOf(1)), /^Error: ALOFT_BLOB_URL is required: /)
  })
})
