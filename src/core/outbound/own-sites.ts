/** Where programs and builds find the sites of this very installation, whatever the ports outside. */
export interface OwnSites {
  /** What the names of the platform end with. */
  readonly domain: string
  /** Where the serving processes of this machine listen. */
  readonly address: string
  /** By the port that a program asks for. */
  readonly ports: Readonly<Record<number, number>>
}

interface Listening {
  readonly domain: string
  readonly host: string
  readonly port: number
  readonly tlsPort: number
}

const ANY: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '127.0.0.1',
  localhost: '127.0.0.1',
}

export const ownSites = ({ domain, host, port, tlsPort }: Listening): OwnSites => ({
  domain,
  address: ANY[host] ?? host,
  ports: { ...(port > 0 ? { 80: port } : {}), ...(tlsPort > 0 ? { 443: tlsPort } : {}) },
})

/** Whether the name is one that the platform gives away. The domain itself is not: `localhost` is every machine's own. */
export const isPlatformName = (name: string, { domain }: Pick<OwnSites, 'domain'>): boolean =>
  name.endsWith(`.${domain}`)
