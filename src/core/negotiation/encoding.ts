import { remembering } from '../remembering.ts'
import { qualityOf } from './quality.ts'

/** Content codings we can make, the one we like best first. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]
export type Encoding = Coding | 'identity'

const OFFERED: readonly Encoding[] = [...CODINGS, 'identity']
const PLAIN: readonly Encoding[] = ['identity']

/** Clients send few different values. */
const readOnce = remembering(readHeader, { most: 500, longest: 128 })

/**
 * What a request's Accept-Encoding allows, best first. Never empty: a client that refuses everything, identity
 * included, still gets the content as it is, since an error would help it less.
 */
export const acceptedEncodings = (header: string | undefined): readonly Encoding[] =>
  header === undefined ? PLAIN : readOnce(header)

function readHeader(header: string): readonly Encoding[] {
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';')
    const coding = name.trim().toLowerCase()
    if (coding === '') continue
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, qualityOf(parameters))
  }
  const any = weights.get('*')
  const weigh = (encoding: Encoding): number =>
    // Without a word about it, identity is acceptable, but anything that was named is liked better.
    weights.get(encoding) ?? any ?? (encoding === 'identity' ? Number.MIN_VALUE : 0)
  const accepted = OFFERED.filter((encoding) => weigh(encoding) > 0)
  // Sorting is stable, so among equals our own order holds.
  accepted.sort((a, b) => weigh(b) - weigh(a))
  return accepted.length === 0 ? PLAIN : accepted
}
