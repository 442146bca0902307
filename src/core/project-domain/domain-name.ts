import { AloftError } from '#contract/errors.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import { hasDeploymentForm, isPlatformHost } from '../deployment/hosts.ts'
import { apexOf, storedName } from '../domain/domain-name.ts'

export interface DomainName {
  readonly name: string
  /** The part that somebody can have registered. */
  readonly apexName: string
  /** Whether it is under the platform's own domain. */
  readonly isPlatform: boolean
}

/** As it is stored; empty when no name can be made of it. */
export const toStored = (text: string): string => storedName(text) ?? ''

const invalid = (text: string, why: string) =>
  new AloftError('invalid_domain', `\`${text.slice(0, 100)}\` ${why}.`)

const reserved = (name: string) =>
  new AloftError('conflict', `\`${name}\` is reserved by the platform.`, { domain: { name } })

export function readDomainName(text: string, names: PlatformNames): DomainName {
  const { domain } = names
  const name = toStored(text)
  if (name === '') throw invalid(text, 'is not a domain name')
  if (name === domain || domain.endsWith(`.${name}`)) throw invalid(text, 'is a suffix of the platform')
  if (isReservedHost(names, name)) throw reserved(name)
  if (isPlatformHost(name, domain)) {
    const label = name.slice(0, -domain.length - 1)
    // Names of more labels are those of the staging of accounts.
    if (label.includes('.') || hasDeploymentForm(label)) throw reserved(name)
    return { name, apexName: name, isPlatform: true }
  }
  const apexName = apexOf(name)
  if (apexName === undefined) throw invalid(text, 'is a public suffix, under which domains are registered')
  return { name, apexName, isPlatform: false }
}
