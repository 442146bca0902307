import type { Resolver } from '../ports/resolver.ts'
import { proofHost } from './domain.ts'
import { unlessFailed } from './unless-failed.ts'

/** Where clients and scripts of a hosted platform put the text. */
const otherProofHost = (name: string): string => `_vercel.${name}`

/**
 * The texts where the proof that a name is somebody's should be. Of those that are where other platforms have them
 * only the proof itself is told: what else is there is not about this installation.
 */
export async function proofTexts(
  resolver: Pick<Resolver, 'txt'>,
  name: string,
  proof: string | null,
): Promise<readonly string[]> {
  const [own, other = []] = await Promise.all([
    resolver.txt(proofHost(name)),
    unlessFailed(resolver.txt(otherProofHost(name))),
  ])
  return proof !== null && other.includes(proof) ? [...own, proof] : own
}
