import { hash, timingSafeEqual } from 'node:crypto'

/** Compared by their digests, so that neither their length nor where they differ can be timed. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
