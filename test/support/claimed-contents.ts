import { contentsOf } from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Builder } from '#core/ports/builder.ts'

interface Claiming {
  readonly blobs: BlobStore
  readonly builder: Builder
}

/** Tests say what a build made, and store of it only what they read: the rest counts as stored, too. */
export function countingAsStored({ blobs, builder }: Claiming): Claiming {
  const claimed = new Map<string, number>()
  const stat: BlobStore['stat'] = async (sha256s) => {
    const found = new Map(await blobs.stat(sha256s))
    for (const sha256 of sha256s) {
      const size = claimed.get(sha256)
      if (size !== undefined && !found.has(sha256)) found.set(sha256, { sha256, size, putAt: 0 })
    }
    return found
  }
  return {
    blobs: new Proxy(blobs, {
      get(target, name) {
        if (name === 'stat') return stat
        const own = Reflect.get(target, name)
        return typeof own === 'function' ? own.bind(target) : own
      },
    }),
    builder: {
      async build(task, events) {
        const output = await builder.build(task, events)
        for (const { sha256, size } of contentsOf(output)) claimed.set(sha256, size)
        return output
      },
    },
  }
}
