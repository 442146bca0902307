import { decodePath } from '#core/routing/url/request-path.ts'

/** A request target taken apart. */
export interface Target {
  /** As it was sent. */
  readonly rawPath: string
  /** Decoded once, without dot segments and repeated slashes: what routes and files are looked up by. */
  readonly path: string
  /** As it was sent, without the question mark. */
  readonly query: string
}

const MALFORMED = /%(?![0-9a-f]{2})|%00|\0/i

/** Undefined for a path that is malformed, or that holds the byte that ends names elsewhere. */
export function readTarget(url: string): Target | undefined {
  const rawPath = rawPathOf(url)
  if (!rawPath.startsWith('/') || MALFORMED.test(rawPath)) return undefined
  return { rawPath, path: decodePath(rawPath), query: url.slice(rawPath.length + 1) }
}

export function rawPathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** The link to a file by its name, whatever characters it has. */
export const linkTo = (name: string): string =>
  `/${name
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/')}`

const SPECIAL = /[%\\\p{Cc}]/u

/**
 * The path under which a file's name is found, where it is not just a slash and the name: decoded paths keep
 * some characters escaped, so that each of them stands for one name only.
 */
export const specialPathOf = (name: string): string | undefined =>
  SPECIAL.test(name) ? decodePath(linkTo(name)) : undefined
