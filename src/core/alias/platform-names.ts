import { ORIGINS } from '#contract/origins.ts'

/** The names that nobody but the platform may be visited under. */
export interface PlatformNames {
  /** The platform's own domain: deployments and aliases are one label under it. */
  readonly domain: string
  /** Names that the platform itself answers under: the hosts of its API and its name servers. */
  readonly own: ReadonlySet<string>
}

interface NameSettings {
  readonly domain: string
  readonly apiHosts: readonly string[]
  readonly nameservers: readonly string[]
  readonly baseUrl: string
}

export const platformNames = ({ domain, apiHosts, nameservers, baseUrl }: NameSettings): PlatformNames => ({
  domain,
  own: new Set([...apiHosts, ...nameservers, new URL(baseUrl).hostname].map((name) => name.toLowerCase())),
})

/**
 * Labels under the domain that people, mail programs, browsers and resolvers take for the platform itself, whether it
 * uses them or not.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['www', 'api', 'alias', 'admin', 'login', 'dashboard', 'status', 'localhost'],
  // Mail, and how programs find out how to read it.
  ...['mail', 'smtp', 'imap', 'pop', 'webmail', 'mta-sts', 'autoconfig', 'autodiscover'],
  // Machines on a network of this domain look for their proxy and their tunnel there by themselves.
  ...['wpad', 'isatap'],
  ...ORIGINS.map((origin) => `api-${origin}`),
])
const NAME_SERVER = /^ns\d{0,2}$/

/** Whether nobody may have `<label>.<domain>`, nor names under it. */
export const isReservedLabel = (label: string): boolean =>
  RESERVED.has(label) || NAME_SERVER.test(label) || label.startsWith('_')

/** Every label that is reserved whatever the settings say, for those who look for names that were given before. */
export const reservedLabels = (): readonly string[] => [
  ...RESERVED,
  'ns',
  ...Array.from({ length: 10 }, (_, i) => `ns${i}`),
]

/**
 * Whether a host is the platform's. Every way in which a name is given asks this: aliases, automatic ones too, domains
 * of projects, and the staging names of an account.
 */
export function isReservedHost({ domain, own }: PlatformNames, host: string): boolean {
  if (host === domain || host === `*.${domain}`) return true
  for (const name of own) {
    if (host === name) return true
    // What is under a host of the API could set cookies for it. An API above the domain reserves nothing by that.
    const isAbove = domain === name || domain.endsWith(`.${name}`)
    if (!isAbove && host.endsWith(`.${name}`)) return true
  }
  if (!host.endsWith(`.${domain}`)) return false
  const label =
    host
      .slice(0, -domain.length - 1)
      .split('.')
      .at(-1) ?? ''
  return isReservedLabel(label)
}
