import { CODINGS, type Encoding } from '#core/negotiation/encoding.ts'
import { readTags } from '#core/negotiation/entity-tag.ts'

/** How much work went into a compressed form: its bytes, and so its tag, differ. */
export type Effort = 'quick' | 'best'

/** A strong validator: the content's hash, and which of its forms it is. */
export const entityTag = (sha256: string, encoding: Encoding, effort: Effort = 'best'): string =>
  encoding === 'identity' ? `"${sha256}"` : `"${sha256}-${encoding}${effort === 'quick' ? '-q' : ''}"`

/** Every tag that one content can have in the forms that a client accepts. */
function* tagsOf(sha256: string, accepted: readonly Encoding[]): Generator<string> {
  yield entityTag(sha256, 'identity')
  for (const coding of CODINGS) {
    if (!accepted.includes(coding)) continue
    yield entityTag(sha256, coding)
    yield entityTag(sha256, coding, 'quick')
  }
}

/**
 * If-None-Match: the tag of the form that the client has already, if it has one. Any form that it accepts will
 * do, so that content is not sent again only because a better compressed form of it has been made meanwhile.
 */
export function tagInHand(header: string, sha256: string, accepted: readonly Encoding[]): string | undefined {
  if (header.trim() === '*') return entityTag(sha256, 'identity')
  const sent = readTags(header)
  if (sent === undefined) return undefined
  for (const tag of tagsOf(sha256, accepted)) if (sent.some(({ text }) => text === tag)) return tag
  return undefined
}

/** If-Match: whether one of the forms of this content is among those that the client insists on. */
export function satisfiesIfMatch(header: string, sha256: string, accepted: readonly Encoding[]): boolean {
  if (header.trim() === '*') return true
  const sent = readTags(header)?.filter(({ isWeak }) => !isWeak)
  if (sent === undefined) return false
  for (const tag of tagsOf(sha256, accepted)) if (sent.some(({ text }) => text === tag)) return true
  return false
}

/** If-Range: whether the client has a part of exactly this form. A date never does: we give none out. */
export const satisfiesIfRange = (header: string, tag: string): boolean => header.trim() === tag
