import { isCorrupt } from './open-work.ts'

/** Reads a content to its end, which hashes it. One that is damaged is given to `lose`. */
export async function verify(
  open: () => Promise<AsyncIterable<unknown> | Iterable<unknown> | undefined>,
  lose: (error: unknown) => Promise<void>,
): Promise<'sound' | 'damaged' | 'absent'> {
  try {
    const pieces = await open()
    if (pieces === undefined) return 'absent'
    for await (const _ of pieces) {
      // Hashed while it is read.
    }
    return 'sound'
  } catch (error) {
    if (!isCorrupt(error)) throw error
    await lose(error)
    return 'damaged'
  }
}
