import { createRequire } from 'node:module'

type Suffixes = typeof import('tldts')

let loaded: Suffixes | undefined

/** The list of public suffixes is large and takes long to load: only those who ask for a domain pay for it. */
const suffixes = (): Suffixes => {
  loaded ??= createRequire(import.meta.url)('tldts') as Suffixes
  return loaded
}

/** The part of a name that somebody can have registered; undefined where there is none. */
export const registeredPart = (
  name: string,
  options: Parameters<Suffixes['getDomain']>[1],
): string | undefined => suffixes().getDomain(name, options) ?? undefined
