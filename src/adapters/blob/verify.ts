import { isCorrupt } from './open-work.ts'

/** What is damaged may have been put again while it was read. */
const LOOKS = 2

/** Reads a content to its end, which hashes it. One that is damaged is given to `lose`, which tells whether it was still there. */
export async function verify(
  open: () => Promise<AsyncIterable<unknown> | Iterable<unknown> | undefined>,
  lose: (error: unknown) => Promise<boolean>,
): Promise<'sound' | 'damaged' | 'absent'> {
  for (let look = 1; ; look += 1) {
    try {
      const pieces = await open()
      if (pieces === undefined) return 'absent'
      for await (const _ of pieces) {
        // Hashed while it is read.
      }
      return 'sound'
    } catch (error) {
      if (!isCorrupt(error)) throw error
      if ((await lose(error)) || look === LOOKS) return 'damaged'
    }
  }
}
