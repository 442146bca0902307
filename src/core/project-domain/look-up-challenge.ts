import { AloftError } from '#contract/errors.ts'
import { proofTexts } from '../domain/proof-texts.ts'
import { type Resolver, ResolverFailure } from '../ports/resolver.ts'
import { challengeHost, challengePrefix } from './claims.ts'
import type { ProjectDomain } from './project-domain.ts'

/** Throws unless the TXT record that a domain waits for is there. */
export async function lookUpChallenge(
  resolver: Pick<Resolver, 'txt'>,
  { name, apexName, challenge }: ProjectDomain,
): Promise<void> {
  const host = challengeHost(apexName)
  const records = await proofTexts(resolver, apexName, challenge).catch((error: unknown) => {
    if (!(error instanceof ResolverFailure)) throw error
    throw new AloftError('service_unavailable', `The records of \`${host}\` couldn't be read. Try again.`)
  })
  if (challenge !== null && records.includes(challenge)) return
  if (records.some((record) => record.startsWith(challengePrefix(name))))
    throw new AloftError('existing_txt_record', `The TXT record on \`${host}\` is for another project.`, {
      domain: { name },
    })
  throw new AloftError(
    'missing_txt_record',
    `There is no TXT record on \`${host}\` with the verification value.`,
    {
      domain: { name },
    },
  )
}
