import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { AloftError } from '#contract/errors.ts'
import { isPlatformHost, isReservedLabel } from '../deployment/hosts.ts'

export interface DomainName {
  readonly name: string
  /** The part that somebody can have registered. */
  readonly apexName: string
  /** Whether it is under the platform's own domain. */
  readonly isPlatform: boolean
}

/** What names are read against. */
export interface PlatformNames {
  /** The platform's own domain. */
  readonly domain: string
  /** Names that the platform itself answers under. */
  readonly reserved: ReadonlySet<string>
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const MAX_NAME = 253

/** What belongs to an address rather than to a name in it. */
const MORE_THAN_NAME = /[/\\?#@:%]/

/** As it is stored; empty when no name can be made of it. */
export const toStored = (text: string): string =>
  text.length > MAX_NAME || MORE_THAN_NAME.test(text)
    ? ''
    : domainToASCII(text.trim().toLowerCase()).replace(/\.$/, '')

const invalid = (text: string, why: string) =>
  new AloftError('invalid_domain', `\`${text.slice(0, 100)}\` ${why}.`)

const reserved = (name: string) =>
  new AloftError('conflict', `\`${name}\` is reserved by the platform.`, { domain: { name } })

export function readDomainName(text: string, { domain, reserved: taken }: PlatformNames): DomainName {
  const name = toStored(text)
  if (!name.split('.').every((label) => LABEL.test(label))) throw invalid(text, 'is not a domain name')
  const { domain: apexName, isIp } = parse(name, { allowPrivateDomains: true })
  if (isIp) throw invalid(text, 'is an address and not a domain name')
  if (name === domain || domain.endsWith(`.${name}`)) throw invalid(text, 'is a suffix of the platform')
  if (taken.has(name)) throw reserved(name)
  if (isPlatformHost(name, domain)) {
    const label = name.slice(0, -domain.length - 1)
    // Names of more labels are those of the staging of accounts.
    if (label.includes('.') || isReservedLabel(label)) throw reserved(name)
    return { name, apexName: name, isPlatform: true }
  }
  if (apexName === null) throw invalid(text, 'is a public suffix, under which domains are registered')
  return { name, apexName, isPlatform: false }
}
