import { isDelegated, proofHost, type ServiceType } from './domain.ts'

/** What is known of a domain, and what it should look like in DNS. */
export interface Intended {
  readonly name: string
  /** Whether it is the name that was registered, which cannot have a CNAME. */
  readonly isApex: boolean
  readonly serviceType: ServiceType
  readonly verified: boolean
  /** Bought here or transferred in: the registrar that has its nameservers is ours. */
  readonly isRegisteredHere?: boolean
  readonly token: string
  readonly nameservers: readonly string[]
  /** The name that records point to, and its addresses. */
  readonly target: string
  readonly addresses: readonly string[]
  /**
   * What CAA records call the authority that makes our certificates; undefined for our own, which does not look
   * at them, and null when nobody knows.
   */
  readonly authority: string | null | undefined
}

/** What a host leads to; undefined where nobody answered. */
export interface Leads {
  readonly cname: readonly string[] | undefined
  readonly addresses: readonly string[] | undefined
}

export interface DnsState {
  readonly nameservers: readonly string[] | undefined
  readonly texts: readonly string[] | undefined
  readonly name: Leads
  readonly www: Leads
  /** Those that hold for the name: its own, or else those of the next name above that has some. */
  readonly caa: readonly string[] | undefined
}

export interface Check {
  readonly id: 'nameservers' | 'txt' | 'address' | 'www' | 'caa'
  readonly status: 'ok' | 'missing' | 'wrong' | 'unknown'
  readonly found: readonly string[]
  readonly expected: readonly string[]
  /** What to do, or why there is nothing to do. */
  readonly advice: string
}

export interface Inspection {
  readonly name: string
  readonly serviceType: ServiceType
  readonly verified: boolean
  readonly checks: readonly Check[]
  readonly nextStep: string
}

export const NO_ANSWER = 'DNS did not answer. Check again in a moment.'

function checkNameservers(intended: Intended, found: DnsState['nameservers']): Check {
  const { name, nameservers, serviceType } = intended
  const row = { id: 'nameservers', found: found ?? [], expected: nameservers } as const
  if (found === undefined) return { ...row, status: 'unknown', advice: NO_ANSWER }
  if (isDelegated(found, nameservers))
    return { ...row, status: 'ok', advice: `${name} uses the Aloft nameservers.` }
  if (intended.isRegisteredHere)
    return {
      ...row,
      status: 'missing',
      advice: `${name} is registered through Aloft, so its nameservers are set for you. It can take up to 48 hours until they are visible everywhere. There is nothing you need to do.`,
    }
  const change = `set the nameservers of ${name} to ${nameservers.join(' and ')} at its registrar`
  if (nameservers.some((server) => found.includes(server)))
    return { ...row, status: 'wrong', advice: `Only some of the Aloft nameservers are in use: ${change}.` }
  const advice =
    serviceType === 'provider.world'
      ? `The DNS records of ${name} are managed here, but it still uses other nameservers: ${change}.`
      : `To manage the DNS records of ${name} here, ${change}. Otherwise leave them as they are.`
  return { ...row, status: 'missing', advice }
}

function checkText({ name, token, verified }: Intended, found: DnsState['texts']): Check {
  const row = { id: 'txt', found: found ?? [], expected: [token] } as const
  if (found?.includes(token))
    return { ...row, status: 'ok', advice: `The verification record of ${name} is in place.` }
  if (verified)
    return { ...row, status: 'ok', advice: 'The domain is verified, so this record is no longer needed.' }
  if (found === undefined) return { ...row, status: 'unknown', advice: NO_ANSWER }
  const create = `Create a TXT record on ${proofHost(name)} with the value ${token}.`
  return found.length > 0
    ? { ...row, status: 'wrong', advice: `The TXT record has a different value. ${create}` }
    : { ...row, status: 'missing', advice: create }
}

const addressRecord = (address: string): string => `${address.includes(':') ? 'AAAA' : 'A'} ${address}`

/** Whether visitors of a host reach us. */
export function checkHost(
  id: 'address' | 'www',
  host: string,
  isApex: boolean,
  intended: Pick<Intended, 'target' | 'serviceType' | 'addresses'>,
  { cname, addresses }: Leads,
): Check {
  const { target, serviceType } = intended
  const expected = isApex ? intended.addresses.map(addressRecord) : [`CNAME ${target}`]
  const found = [...(cname ?? []).map((name) => `CNAME ${name}`), ...(addresses ?? []).map(addressRecord)]
  const row = { id, found, expected } as const
  if (cname?.includes(target)) return { ...row, status: 'ok', advice: `${host} points to ${target}.` }
  if (addresses === undefined || cname === undefined) return { ...row, status: 'unknown', advice: NO_ANSWER }
  const strangers = addresses.filter((address) => !intended.addresses.includes(address))
  if (addresses.length > 0 && strangers.length === 0)
    return { ...row, status: 'ok', advice: `${host} points to this installation.` }
  const create =
    serviceType === 'provider.world'
      ? `The Aloft nameservers answer for ${host}. Remove any of its records that conflict, or wait until the change has propagated.`
      : isApex
        ? `Create on ${host}: ${expected.join(', ')}; or an ALIAS record to ${target}, if your DNS provider supports it.`
        : `Create a CNAME record on ${host} with the value ${target}.`
  if (found.length === 0) return { ...row, status: 'missing', advice: create }
  const away = [...cname, ...strangers]
  return { ...row, status: 'wrong', advice: `${host} points elsewhere (${away.join(', ')}). ${create}` }
}

const CAA = /^\d+ (\w+) "?([^"]*)"?$/

/** The authorities that may make certificates; undefined when everybody may. */
function allowedBy(records: readonly string[]): readonly string[] | undefined {
  const issuers = records
    .map((record) => CAA.exec(record))
    .filter((match) => match?.[1]?.toLowerCase() === 'issue')
    .map((match) => (match?.[2] ?? '').split(';')[0]?.trim().toLowerCase() ?? '')
  return issuers.length === 0 ? undefined : issuers
}

export function checkCaa(
  { name, authority }: Pick<Intended, 'name' | 'authority'>,
  found: DnsState['caa'],
): Check {
  const expected = authority === undefined || authority === null ? [] : [`0 issue "${authority}"`]
  const row = { id: 'caa', found: found ?? [], expected } as const
  if (authority === undefined)
    return {
      ...row,
      status: 'ok',
      advice: 'Certificates come from this installation’s own authority, which needs no CAA record.',
    }
  if (found === undefined) return { ...row, status: 'unknown', advice: NO_ANSWER }
  const allowed = allowedBy(found)
  if (allowed === undefined) return { ...row, status: 'ok', advice: 'Any authority may issue certificates.' }
  if (authority === null)
    return {
      ...row,
      status: 'unknown',
      advice: 'Make sure these records allow the certificate authority of this installation.',
    }
  return allowed.includes(authority)
    ? { ...row, status: 'ok', advice: `${authority} may issue certificates.` }
    : {
        ...row,
        status: 'wrong',
        advice: `These records block certificates from ${authority}. Add a CAA record on ${name}: ${expected.join('')}.`,
      }
}

function nextStep({ verified, name, isApex, serviceType }: Intended, checks: readonly Check[]): string {
  const of = (id: Check['id']) => checks.find((check) => check.id === id)
  const isWrong = (check: Check | undefined) => check?.status === 'missing' || check?.status === 'wrong'
  if (!verified) {
    const [text, servers] = [of('txt'), of('nameservers')]
    if (text?.status === 'ok' || servers?.status === 'ok')
      return `The verification record of ${name} is in place. Verify the domain now.`
    return text?.advice ?? NO_ANSWER
  }
  const isOurs = serviceType === 'provider.world'
  // Records that are edited here do nothing while others are asked for them.
  const servers = isOurs ? of('nameservers') : undefined
  // Visitors try `www` before the name that was registered, and before no other.
  const problem = [servers, of('address'), isApex ? of('www') : undefined, of('caa')].find(isWrong)
  if (problem) return problem.advice
  return checks.some(({ status }) => status === 'unknown')
    ? NO_ANSWER
    : 'Everything is set up. There is nothing to do.'
}

/** Compares what DNS says with what it should say, and says in words what to do about it. */
export function inspect(intended: Intended, found: DnsState): Inspection {
  const { name, isApex, serviceType, verified } = intended
  const checks = [
    checkNameservers(intended, found.nameservers),
    checkText(intended, found.texts),
    checkHost('address', name, isApex, intended, found.name),
    checkHost('www', `www.${name}`, false, intended, found.www),
    checkCaa(intended, found.caa),
  ]
  return { name, serviceType, verified, checks, nextStep: nextStep(intended, checks) }
}
