import type { SiteEntry } from './site-entry.ts'

/** The names of the headers that a request has, in lower case. */
interface SentNames {
  has(name: string): boolean
}

/**
 * Whether something about a request besides its path may decide what it gets: it is then not given what is remembered for
 * the path. The routes of build outputs can look at the query, and at some headers. What the platform says of a visitor
 * is said of everybody.
 */
export function isPersonal(
  { table, goesByPlatform }: Pick<SiteEntry, 'table' | 'goesByPlatform'>,
  hasQuery: boolean,
  sent: SentNames,
): boolean {
  if (table.output === undefined) return false
  if (hasQuery || goesByPlatform) return true
  if (table.variesOn !== undefined) for (const name of table.variesOn) if (sent.has(name)) return true
  return false
}

/** Of headers as Node.js reads them. */
export const namesIn = (headers: Readonly<Record<string, unknown>>): SentNames => ({
  has: (name) => headers[name] !== undefined,
})
