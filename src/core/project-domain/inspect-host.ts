import { isDelegated } from '../domain/domain.ts'
import { caaOf, leadsOf } from '../domain/find-records.ts'
import { type Check, checkCaa, checkHost, type Intended, NO_ANSWER } from '../domain/inspect.ts'
import { proofTexts } from '../domain/proof-texts.ts'
import { unlessFailed } from '../domain/unless-failed.ts'
import type { Resolver } from '../ports/resolver.ts'
import { challengeHost } from './claims.ts'
import type { ProjectDomain } from './project-domain.ts'

/** Where the hosts of this installation lead to. */
export type Pointing = Pick<Intended, 'target' | 'addresses' | 'authority'> & {
  readonly nameservers: readonly string[]
}

/** A record that has to be made at whoever answers for the domain. */
interface WantedRecord {
  readonly type: string
  readonly host: string
  readonly value: string
}

export interface HostInspection {
  readonly name: string
  readonly verified: boolean
  /** Whether there is nothing left to do. */
  readonly ready: boolean
  readonly checks: readonly Check[]
  readonly records: readonly WantedRecord[]
  readonly nextStep: string
}

const isWrong = ({ status }: Check): boolean => status === 'missing' || status === 'wrong'

/** `A 192.0.2.1` → its type and its value. */
function wantedRecord(host: string, expected: string): WantedRecord {
  const [type = '', ...value] = expected.split(' ')
  return { type, host, value: value.join(' ') }
}

/** An installation whose addresses nobody knows can only be pointed to by its name. */
const leading = (host: string, expected: readonly string[], target: string): readonly WantedRecord[] =>
  expected.length === 0
    ? [{ type: 'ALIAS', host, value: target }]
    : expected.map((each) => wantedRecord(host, each))

/** Names under the platform's own domain lead here by themselves. */
export const nothingToDo = ({ name, verified }: ProjectDomain): HostInspection => ({
  name,
  verified,
  ready: true,
  checks: [],
  records: [],
  nextStep: 'Everything is set up. There is nothing to do.',
})

/** Compares what DNS says of a project's domain with what it should say. */
export async function inspectHost(
  resolver: Resolver,
  { name, apexName, verified, challenge }: ProjectDomain,
  pointing: Pointing,
): Promise<HostInspection> {
  const proof = challengeHost(apexName)
  const [servers, texts, leads, caa] = await Promise.all([
    unlessFailed(resolver.ns(apexName)),
    challenge === null ? [] : unlessFailed(proofTexts(resolver, apexName, challenge)),
    leadsOf(resolver, name),
    caaOf(resolver, name, apexName),
  ])
  const serviceType = isDelegated(servers ?? [], pointing.nameservers) ? 'provider.world' : 'external'
  const text = challenge === null ? undefined : checkChallenge(proof, challenge, texts)
  const address = checkHost('address', name, name === apexName, { ...pointing, serviceType }, leads)
  const authority = checkCaa({ name, authority: pointing.authority }, caa)
  const checks = [...(text ? [text] : []), address, authority]
  const records = [
    ...(text && challenge !== null && isWrong(text) ? [{ type: 'TXT', host: proof, value: challenge }] : []),
    // Where our nameservers answer there is nothing to make, only something to remove.
    ...(isWrong(address) && serviceType === 'external'
      ? leading(name, address.expected, pointing.target)
      : []),
    ...(isWrong(authority) ? authority.expected.map((value) => ({ type: 'CAA', host: name, value })) : []),
  ]
  const problem = checks.find(isWrong)
  const silent = checks.some(({ status }) => status === 'unknown')
  return {
    name,
    verified,
    ready: verified && !problem && !silent,
    checks,
    records,
    nextStep:
      problem?.advice ??
      (silent
        ? NO_ANSWER
        : verified
          ? 'Everything is set up. There is nothing to do.'
          : `The verification record of ${name} is in place. Verify the domain now.`),
  }
}

function checkChallenge(host: string, challenge: string, found: readonly string[] | undefined): Check {
  const row = { id: 'txt', found: found ?? [], expected: [challenge] } as const
  if (found === undefined) return { ...row, status: 'unknown', advice: NO_ANSWER }
  return found.includes(challenge)
    ? { ...row, status: 'ok', advice: `The verification record is on ${host}.` }
    : {
        ...row,
        status: found.length > 0 ? 'wrong' : 'missing',
        advice: `Another account uses this domain. To verify ownership, create a TXT record on ${host} with the value ${challenge}.`,
      }
}
