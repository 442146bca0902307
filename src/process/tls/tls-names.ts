import { isIP } from 'node:net'
import { isHostLabel } from '#core/domain/domain-name.ts'

/** One certificate: its key in a cache, and the names that it is made out to. */
export interface CertificateNames {
  readonly key: string
  readonly names: readonly string[]
}

/** A server name as clients may spell it, in our spelling; nothing when it is no host name at all. */
export function readServerName(servername: string): string | undefined {
  const name = servername.toLowerCase().replace(/\.$/, '')
  if (name.length > 253 || isIP(name)) return undefined
  return name.split('.').every(isHostLabel) ? name : undefined
}

/**
 * Which certificate serves a host of the platform: `<domain>` itself, `<label>.<domain>` or
 * `<label>.<scope>.<domain>`. Nothing for every other host.
 *
 * One wildcard serves all labels of a level, except below a domain without a dot: clients refuse
 * `*.localhost`, so there each host has its own.
 */
export function platformCertificate(name: string, domain: string): CertificateNames | undefined {
  if (name !== domain && !name.endsWith(`.${domain}`)) return undefined
  const labels = name === domain ? [] : name.slice(0, -domain.length - 1).split('.')
  if (labels.length > 2) return undefined
  if (!domain.includes('.')) return { key: name, names: [name] }
  if (labels.length < 2) return { key: `*.${domain}`, names: [domain, `*.${domain}`] }
  const wildcard = `*.${labels[1]}.${domain}`
  return { key: wildcard, names: [wildcard] }
}
