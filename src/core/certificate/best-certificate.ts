import type { Certificate } from './certificate.ts'

/** Exact before wildcard, uploaded before made, and what ends last before the rest. */
export function bestFor(
  host: string,
  candidates: readonly Certificate[],
  now: number,
): Certificate | undefined {
  const rank = ({ names, source }: Certificate): number =>
    (names.includes(host) ? 2 : 0) + (source === 'uploaded' ? 1 : 0)
  return candidates
    .filter(({ expiresAt }) => expiresAt > now)
    .toSorted((a, b) => rank(b) - rank(a) || b.expiresAt - a.expiresAt)[0]
}
