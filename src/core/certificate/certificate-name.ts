import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { AloftError } from '#contract/errors.ts'
import { isHostLabel } from '../domain/domain-name.ts'

/** Whether a certificate can be made out to it: a host name of two labels at least, in our spelling. */
export const isHostName = (name: string): boolean =>
  name.length <= 253 &&
  name.includes('.') &&
  isIP(name) === 0 &&
  !/\.\d+$/.test(name) &&
  name.split('.').every(isHostLabel)

/** Of ASCII, only what a name is made of: the rest would be taken for parts of an address. */
const isPlain = (text: string): boolean => /^[\w.\-\u0080-\u{10ffff}]+$/u.test(text)

/** A name of a certificate as it is stored: lower-case, in punycode, perhaps with `*.` before it. */
export function readCertificateName(text: string): string {
  const given = text.length > 1000 ? '' : text.trim().replace(/\.$/, '')
  const wildcard = given.startsWith('*.') ? '*.' : ''
  const rest = given.slice(wildcard.length)
  const name = isPlain(rest) ? domainToASCII(rest).toLowerCase() : ''
  if (!isHostName(name) || name.length + wildcard.length > 253)
    throw new AloftError('invalid_cn', `\`${text.slice(0, 300)}\` is not a valid name for a certificate.`, {
      cn: text.slice(0, 300),
    })
  return wildcard + name
}

/** Each once, in the order in which sets are compared. */
export const readCertificateNames = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.map(readCertificateName))].sort()

export const isWildcard = (name: string): boolean => name.startsWith('*.')

/** The wildcard that a host falls under. */
export const wildcardOver = (host: string): string => `*.${host.slice(host.indexOf('.') + 1)}`

export const covers = (names: readonly string[], host: string): boolean =>
  names.includes(host) || (!isWildcard(host) && names.includes(wildcardOver(host)))
