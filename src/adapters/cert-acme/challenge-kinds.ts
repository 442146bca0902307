import type { Challenge } from '#core/certificate/challenge.ts'

export type ChallengeKind = Challenge['kind']

const withoutWildcard = (name: string): string => name.replace(/^\*\./, '')

/**
 * How it can be shown that a name is ours, the best way first. A wildcard is shown by DNS alone, and then the name
 * above it is as well: what one order needs should not depend on two things.
 */
export async function kindsFor(
  name: string,
  names: readonly string[],
  servesZone: (name: string) => Promise<boolean>,
): Promise<readonly ChallengeKind[]> {
  const dns: readonly ChallengeKind[] = (await servesZone(withoutWildcard(name))) ? ['dns-01'] : []
  if (name.startsWith('*.')) return dns
  const direct: readonly ChallengeKind[] = ['http-01', 'tls-alpn-01']
  return names.includes(`*.${name}`) ? [...dns, ...direct] : [...direct, ...dns]
}

/** Refusals after which another way is in vain. */
const FINAL: readonly string[] = ['caa', 'rejectedIdentifier', 'unsupportedIdentifier', 'rateLimited']

/** What there is left to try after a refusal. */
export function kindsLeft(
  ways: readonly ChallengeKind[],
  tried: ChallengeKind,
  problem: string,
): readonly ChallengeKind[] {
  if (FINAL.includes(problem)) return []
  // A name that the authority cannot look up is not one that it could connect to in another way.
  if (problem === 'dns') return ways.filter((way) => way === 'dns-01' && way !== tried)
  return ways.filter((way) => way !== tried)
}
