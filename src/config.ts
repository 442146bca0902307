import { isIP, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { PLANS, type Plan } from '#contract/limits.ts'
import { ORIGINS, type Origin } from '#contract/origins.ts'
import { Redacted } from '#contract/redacted.ts'

/** Reads one setting from its text; throws what is accepted instead. */
type Read<T> = (text: string) => T

interface Setting<T> {
  readonly variable: `ALOFT_${string}`
  /** As the docs say it; `fallback` computes it. */
  readonly default: string
  readonly meaning: string
  readonly read: Read<T>
  readonly fallback: (so: Fallbacks) => T
}

/** What a default may depend on. */
interface Fallbacks {
  readonly domain: string
  readonly host: string
  readonly port: number
}

class NotAccepted extends Error {}
const accepted = (what: string): never => {
  throw new NotAccepted(what)
}

const text: Read<string> = (value) => value || accepted('some text')
const port =
  (lowest: number): Read<number> =>
  (value) => {
    const n = Number(value)
    return /^\d+$/.test(value) && n >= lowest && n <= 65535 ? n : accepted(`a port from ${lowest} to 65535`)
  }
const count: Read<number> = (value) =>
  /^[1-9]\d{0,8}$/.test(value) ? Number(value) : accepted('a whole number from 1')
const seconds: Read<number> = (value) =>
  /^\d{1,6}$/.test(value) ? Number(value) : accepted('a whole number of seconds, or 0')
const percent: Read<number> = (value) =>
  /^[1-9]\d?$|^100$/.test(value) ? Number(value) : accepted('a whole number from 1 to 100')
const bytes: Read<number> = (value) => {
  const [, number, unit = ''] =
    /^([1-9]\d{0,14})([KMGT]?)$/i.exec(value) ?? accepted('a number of bytes such as 500M or 10G')
  return Number(number) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit.toUpperCase())
}
const oneOf =
  <const T extends string>(values: readonly T[]): Read<T> =>
  (value) =>
    (values as readonly string[]).includes(value) ? (value as T) : accepted(`one of ${values.join(', ')}`)
const url =
  (...protocols: readonly string[]): Read<string> =>
  (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? value
      : accepted(`a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
const secretUrl =
  (...protocols: readonly string[]): Read<Redacted> =>
  (value) =>
    new Redacted(url(...protocols)(value))

const programPath: Read<string> = (value) =>
  value === 'off' || isAbsolute(value) ? value : accepted('an absolute path, or `off`')

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/
const domain: Read<string> = (value) => {
  const name = value.toLowerCase()
  return HOST_NAME.test(name) ? name : accepted('a host name such as example.com')
}
const apiHosts: Read<readonly string[]> = (value) => {
  const hosts = value
    .toLowerCase()
    .split(',')
    .map((host) => host.trim())
  const ok = (host: string) => HOST_NAME.test(host) || /^\[[0-9a-f:.]+\]$/.test(host)
  return hosts.every(ok) ? hosts : accepted('host names or [addresses], separated by commas')
}
const RESOLVER = /^(?:\[[0-9a-fA-F:]+\]|\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/
const resolvers: Read<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  return list.every((entry) => Number(RESOLVER.exec(entry)?.[1]) <= 65535)
    ? list
    : accepted('ip:port pairs, separated by commas')
}
const nameservers: Read<readonly string[]> = (value) => {
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/\.$/, ''))
  const ok =
    new Set(names).size === names.length && names.length <= 13 && names.every((n) => HOST_NAME.test(n))
  return ok ? names : accepted('1 to 13 different host names, separated by commas')
}
const addresses: Read<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  const ok = list.length <= 16 && list.every((entry) => isIP(entry) !== 0 && !entry.includes('%'))
  return ok ? list : accepted('1 to 16 IP addresses, separated by commas')
}
/** The addresses of this machine that others may reach while listeners are bound to this one. */
function ownAddresses(host: string): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = all
    .filter((a) => !a.internal && !/^(?:fe[89ab]|169\.254\.)/i.test(a.address))
    // Who listens on all addresses of the older kind is not reached at the newer ones.
    .filter((a) => host !== '0.0.0.0' || isIPv4(a.address))
    .map((a) => a.address)
  return own.length > 0 ? own.slice(0, 16) : ['127.0.0.1']
}
const ranges: Read<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  const ok = (entry: string) => {
    const [network = '', bits, ...more] = entry.split('/')
    const most = isIPv4(network) ? 32 : isIPv6(network) ? 128 : -1
    return (
      more.length === 0 &&
      most > 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    )
  }
  return list.every(ok) ? list : accepted('addresses or CIDR ranges, separated by commas')
}
const PRICE = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)=([1-9]\d{0,5})$/
const prices: Read<ReadonlyMap<string, number>> = (value) => {
  const found = value.split(',').map((entry) => PRICE.exec(entry.trim().toLowerCase()))
  return new Map(
    found.map((pair): [string, number] =>
      pair ? [pair[1] as string, Number(pair[2])] : accepted('pairs such as com=12, separated by commas'),
    ),
  )
}
const DOMAIN_PRICES = 'com=12,net=12,org=12,dev=13,app=15,io=39,co=28,sh=45,me=18,xyz=10,rocks=12'
const masterKey: Read<Redacted> = (value) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? new Redacted(value) : accepted('32 bytes in base64')
const bootstrapToken: Read<Redacted> = (value) =>
  /^[\x21-\x7e]{1,256}$/.test(value) ? new Redacted(value) : accepted('1 to 256 printable characters')
const email: Read<string> = (value) =>
  /^[^\s@]+@[^\s@]+$/.test(value) ? value : accepted('an e-mail address')
const address: Read<string> = (value) =>
  /^[0-9a-zA-Z.:_-]+$/.test(value) ? value : accepted('an address or host name to bind')

const setting = <T>(row: Setting<T>): Setting<T> => row
const none = () => undefined

/** Every setting there is. docs/config.md is made from this table. */
export const SETTINGS = {
  dataDir: setting({
    variable: 'ALOFT_DATA_DIR',
    default: '`.aloft`',
    meaning: 'Everything the embedded default keeps: database, files, certificates, outbox, build caches.',
    read: (value) => resolve(text(value)),
    fallback: () => resolve('.aloft'),
  }),
  host: setting({
    variable: 'ALOFT_HOST',
    default: '`127.0.0.1`',
    meaning: 'The address that the listeners bind.',
    read: address,
    fallback: () => '127.0.0.1',
  }),
  port: setting({
    variable: 'ALOFT_PORT',
    default: '`3000`',
    meaning: 'HTTP: API, dashboard and deployments, told apart by the Host header.',
    read: port(1),
    fallback: () => 3000,
  }),
  tlsPort: setting({
    variable: 'ALOFT_TLS_PORT',
    default: '`3443`',
    meaning: 'HTTPS with HTTP/2 and HTTP/1.1, TLS 1.2 and up, certificate chosen by SNI; `0` = off.',
    read: port(0),
    fallback: () => 3443,
  }),
  dnsPort: setting({
    variable: 'ALOFT_DNS_PORT',
    default: '`5300`',
    meaning: 'Authoritative DNS, UDP and TCP; `0` = off.',
    read: port(0),
    fallback: () => 5300,
  }),
  domain: setting({
    variable: 'ALOFT_DOMAIN',
    default: '`localhost`',
    meaning: 'The suffix of deployment hosts and platform aliases: `<anything>.<domain>`.',
    read: domain,
    fallback: () => 'localhost',
  }),
  publicAddresses: setting<readonly string[]>({
    variable: 'ALOFT_PUBLIC_ADDRESSES',
    default: "`ALOFT_HOST` when that is a particular address, else the machine's own",
    meaning:
      'Comma-separated IP addresses under which visitors reach this installation, for its answers in DNS.',
    read: addresses,
    fallback: ({ host }) => (isIP(host) !== 0 && !/^[0.:]+$/.test(host) ? [host] : ownAddresses(host)),
  }),
  nameservers: setting<readonly string[]>({
    variable: 'ALOFT_NAMESERVERS',
    default: '`ns1.<domain>,ns2.<domain>`',
    meaning: "Comma-separated names of this installation's DNS servers, to which domains are delegated.",
    read: nameservers,
    fallback: (so) => [`ns1.${so.domain}`, `ns2.${so.domain}`],
  }),
  apiHosts: setting({
    variable: 'ALOFT_API_HOSTS',
    default: '`localhost,127.0.0.1,[::1],api.<domain>`',
    meaning: 'The hosts that reach the API and the dashboard; `api-<origin>.<domain>` always does.',
    read: apiHosts,
    fallback: (so) => ['localhost', '127.0.0.1', '[::1]', `api.${so.domain}`],
  }),
  origin: setting<Origin>({
    variable: 'ALOFT_ORIGIN',
    default: '`iad1`',
    meaning: `The origin (region) this node is: ${ORIGINS.map((o) => `\`${o}\``).join(', ')}.`,
    read: oneOf(ORIGINS),
    fallback: () => 'iad1',
  }),
  baseUrl: setting({
    variable: 'ALOFT_BASE_URL',
    default: 'from host and port',
    meaning: 'The address of the API that links and mails name.',
    read: (value) => url('http:', 'https:')(value).replace(/\/+$/, ''),
    fallback: ({ host, port }) => {
      const local = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
      const name = local ? 'localhost' : host.includes(':') ? `[${host}]` : host
      return `http://${name}${port === 80 ? '' : `:${port}`}`
    },
  }),
  databaseUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_DATABASE_URL',
    default: 'SQLite in the data dir',
    meaning: '`postgres://…` when several machines share one installation.',
    read: secretUrl('postgres:', 'postgresql:'),
    fallback: none,
  }),
  blobUrl: setting<string | undefined>({
    variable: 'ALOFT_BLOB_URL',
    default: 'the file system in the data dir',
    meaning:
      '`s3://bucket/prefix?endpoint=…&region=…` for several machines; credentials from the usual AWS variables.',
    read: url('s3:'),
    fallback: none,
  }),
  redisUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_REDIS_URL',
    default: 'none: in-process',
    meaning: 'Shared rate-limit counters and cache invalidation for several machines.',
    read: secretUrl('redis:', 'rediss:', 'unix:'),
    fallback: none,
  }),
  runtime: setting<'process' | 'docker' | 'swarm'>({
    variable: 'ALOFT_RUNTIME',
    default: '`process`',
    meaning:
      'Where builds and functions run: `process`, or `docker`, which adds deployments that are images. `swarm` is refused in this version.',
    read: oneOf(['process', 'docker', 'swarm']),
    fallback: () => 'process',
  }),
  workers: setting<number | undefined>({
    variable: 'ALOFT_WORKERS',
    default: 'one, and under load up to one a core',
    meaning: 'How many serving processes run on this machine; with a number, always so many.',
    read: count,
    fallback: () => undefined,
  }),
  smtpUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_SMTP_URL',
    default: 'none: `<data dir>/outbox/*.eml`',
    meaning: 'Where mail goes: `smtp://user:pass@host:port`.',
    read: secretUrl('smtp:', 'smtps:'),
    fallback: none,
  }),
  acmeDirectory: setting<string | undefined>({
    variable: 'ALOFT_ACME_DIRECTORY',
    default: 'none: a local certificate authority in the data dir',
    meaning: 'The ACME directory URL of a public certificate authority.',
    read: url('https:', 'http:'),
    fallback: none,
  }),
  httpsRedirect: setting({
    variable: 'ALOFT_HTTPS_REDIRECT',
    default: '`auto`',
    meaning:
      'Whether visitors of custom hosts that have a certificate are sent from HTTP to HTTPS: `on`, `off`, or `auto`: when the TLS port is 443 and a public authority issues the certificates.',
    read: oneOf(['auto', 'on', 'off']),
    fallback: () => 'auto',
  }),
  acmeEmail: setting<string | undefined>({
    variable: 'ALOFT_ACME_EMAIL',
    default: 'none',
    meaning: 'Where that authority may write to about the account, such as before a certificate ends.',
    read: email,
    fallback: none,
  }),
  resolvers: setting<readonly string[] | undefined>({
    variable: 'ALOFT_RESOLVERS',
    default: "the system's",
    meaning: 'Comma-separated `ip:port` DNS servers used to verify domains and to resolve ALIAS targets.',
    read: resolvers,
    fallback: none,
  }),
  privateTargets: setting<readonly string[]>({
    variable: 'ALOFT_PRIVATE_TARGETS',
    default: 'none',
    meaning:
      'Comma-separated addresses or CIDR ranges outside of the public internet that rewrites, webhooks and log drains may be sent to and that builds and functions may reach as well, such as `10.0.0.0/8`. To let builds and functions reach an address of this machine itself, name that address alone.',
    read: ranges,
    fallback: () => [],
  }),
  verifyDrains: setting<'on' | 'off'>({
    variable: 'ALOFT_VERIFY_LOG_DRAINS',
    default: '`on`',
    meaning:
      'Whether an address has to answer with the code of an account (`x-platform-verify`) before logs are sent to it; `off` for receivers that cannot.',
    read: oneOf(['on', 'off']),
    fallback: () => 'on',
  }),
  registrar: setting<'sandbox' | 'name.com'>({
    variable: 'ALOFT_REGISTRAR',
    default: '`sandbox`',
    meaning:
      'Who sells domains: `sandbox` (a registry of its own, for no money) or `name.com`, which needs the user and the key below.',
    read: oneOf(['sandbox', 'name.com']),
    fallback: () => 'sandbox',
  }),
  registrarUrl: setting({
    variable: 'ALOFT_REGISTRAR_URL',
    default: '`https://api.name.com`',
    meaning: 'Where the registrar is asked; `https://api.dev.name.com` is its test system.',
    read: (value) => url('http:', 'https:')(value).replace(/\/+$/, ''),
    fallback: () => 'https://api.name.com',
  }),
  registrarUser: setting<string | undefined>({
    variable: 'ALOFT_REGISTRAR_USER',
    default: 'none',
    meaning: 'The user at the registrar.',
    read: text,
    fallback: none,
  }),
  registrarKey: setting<Redacted | undefined>({
    variable: 'ALOFT_REGISTRAR_KEY',
    default: 'none',
    meaning: "The API token of the registrar's user.",
    read: (value) => new Redacted(text(value)),
    fallback: none,
  }),
  domainPrices: setting<ReadonlyMap<string, number>>({
    variable: 'ALOFT_DOMAIN_PRICES',
    default: `\`${DOMAIN_PRICES}\``,
    meaning: 'What the sandbox sells, and for how many US dollars a year.',
    read: prices,
    fallback: () => prices(DOMAIN_PRICES),
  }),
  transferMinutes: setting({
    variable: 'ALOFT_TRANSFER_MINUTES',
    default: '`1`',
    meaning: 'How long a transfer in the sandbox stays in each of its states.',
    read: count,
    fallback: () => 1,
  }),
  rateLimit: setting<number | undefined>({
    variable: 'ALOFT_RATE_LIMIT',
    default: 'per group of endpoints',
    meaning: 'When set: requests per minute for one caller on one endpoint, whatever the group.',
    read: count,
    fallback: none,
  }),
  defaultPlan: setting<Plan>({
    variable: 'ALOFT_DEFAULT_PLAN',
    default: '`enterprise`',
    meaning: `The plan of new accounts: ${PLANS.map((p) => `\`${p}\``).join(', ')}.`,
    read: oneOf(PLANS),
    fallback: () => 'enterprise',
  }),
  sandbox: setting<'required' | 'auto' | 'off'>({
    variable: 'ALOFT_SANDBOX',
    default: '`auto`',
    meaning:
      'Isolation of builds and functions: `required` (refuse to run without it), `auto` (use it where the machine can, warn where not), `off`.',
    read: oneOf(['required', 'auto', 'off']),
    fallback: () => 'auto',
  }),
  chromium: setting<string | 'off' | undefined>({
    variable: 'ALOFT_CHROMIUM',
    default: 'looked for in the usual places',
    meaning:
      'The browser that takes pictures of deployments for their previews, by its path; `off` for none. It runs in the sandbox, so without one there are no pictures.',
    read: programPath,
    fallback: none,
  }),
  bootstrapEmail: setting<string | undefined>({
    variable: 'ALOFT_BOOTSTRAP_EMAIL',
    default: 'none',
    meaning: 'With the token below: the start creates this account as the operator, unless it exists.',
    read: email,
    fallback: none,
  }),
  bootstrapToken: setting<Redacted | undefined>({
    variable: 'ALOFT_BOOTSTRAP_TOKEN',
    default: 'none',
    meaning: 'The API token of the account above.',
    read: bootstrapToken,
    fallback: none,
  }),
  masterKey: setting<Redacted | undefined>({
    variable: 'ALOFT_MASTER_KEY',
    default: 'generated once into the data dir, mode 0600',
    meaning: '32 bytes, base64: encrypts secrets, sensitive variables and private keys at rest.',
    read: masterKey,
    fallback: none,
  }),
  logBytes: setting({
    variable: 'ALOFT_LOG_BYTES',
    default: '`10G`',
    meaning:
      'What the logs of visits and applications may take at the most, as a number of bytes or with K, M, G or T; the oldest go first. In the embedded database they also never take more than a fifth of the disk space that would be free without them.',
    read: bytes,
    fallback: () => 10 * 2 ** 30,
  }),
  memoryShare: setting({
    variable: 'ALOFT_MEMORY_SHARE',
    default: '`80`',
    meaning:
      "Per cent of the machine's memory that the running functions of one account may take together, by their limits. While memory is short in fact, only accounts that hold less than an equal part of it start more.",
    read: percent,
    fallback: () => 80,
  }),
  hangSeconds: setting({
    variable: 'ALOFT_HANG_SECONDS',
    default: '`15`',
    meaning:
      'A process of the platform that does not react for this long is killed and replaced, with what it was doing in the log; `0` = never.',
    read: seconds,
    fallback: () => 15,
  }),
  logLevel: setting({
    variable: 'ALOFT_LOG_LEVEL',
    default: '`info`',
    meaning: 'How much is logged: `debug`, `info`, `warn`, `error` or `silent`.',
    read: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    fallback: () => 'info',
  }),
} as const

type SettingName = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer T> ? T : never
export type Config = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> }

/** Raised once, with a line for every mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

const SECRET_NAME = /KEY|TOKEN|URL/
const shown = (variable: string, value: string) =>
  SECRET_NAME.test(variable) ? 'the given value' : JSON.stringify(value)

/** Reads the environment over the file's values, once. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>> = {},
): Config {
  const mistakes: string[] = []
  const rows = Object.entries(SETTINGS) as unknown as [SettingName, Setting<unknown>][]

  const known = new Set<string>(rows.flatMap(([name, { variable }]) => [name, variable]))
  for (const key of Object.keys(file))
    if (!known.has(key)) mistakes.push(`aloft.config.json: there is no setting "${key}"`)

  const values: Record<string, unknown> = {}
  const read = (name: SettingName, { variable, read, fallback }: Setting<unknown>) => {
    const given = env[variable] ?? file[name] ?? file[variable]
    if (given === undefined || given === '') {
      values[name] = fallback(values as unknown as Fallbacks)
      return
    }
    const value = Array.isArray(given) ? given.join(',') : String(given)
    try {
      values[name] = read(value)
    } catch (error) {
      if (!(error instanceof NotAccepted)) throw error
      mistakes.push(`${variable}: ${shown(variable, value)} is not accepted; it should be ${error.message}`)
    }
  }
  for (const [name, row] of rows) read(name, row)

  const config = values as Config
  if ((config.bootstrapEmail === undefined) !== (config.bootstrapToken === undefined))
    mistakes.push('ALOFT_BOOTSTRAP_EMAIL, ALOFT_BOOTSTRAP_TOKEN: set both or none')
  if (
    config.registrar === 'name.com' &&
    (config.registrarUser === undefined || config.registrarKey === undefined)
  )
    mistakes.push('ALOFT_REGISTRAR: name.com needs ALOFT_REGISTRAR_USER and ALOFT_REGISTRAR_KEY')
  const taken = [config.port, config.tlsPort].filter((p) => p > 0)
  if (new Set(taken).size < taken.length)
    mistakes.push(`ALOFT_TLS_PORT: ${config.tlsPort} is the port of ALOFT_PORT; choose another, or 0 for off`)
  if (taken.includes(config.dnsPort))
    mistakes.push(
      `ALOFT_DNS_PORT: ${config.dnsPort} is the port of another listener; choose another, or 0 for off`,
    )
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(config)
}

/** Variables that look like settings and are none: most probably misspelt, so the start warns of them. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
  for (const other of ['ALOFT_TOKEN', 'ALOFT_TEST_MISSING']) known.add(other)
  return Object.keys(env).filter((name) => name.startsWith('ALOFT_') && !known.has(name))
}

/** The page about settings, from the same table. */
export const configDocs = (): string => `# Settings

Every setting has a default. Environment variables win over \`aloft.config.json\` in the working
directory, which holds the same settings under their short names (\`{ "port": 8080 }\`). A value that is
not accepted stops the start with one line for each mistake; so does an unknown name in the file.

| variable | in \`aloft.config.json\` | default | meaning |
|---|---|---|---|
${Object.entries(SETTINGS)
  .map(([name, s]) => `| \`${s.variable}\` | \`${name}\` | ${s.default} | ${s.meaning} |`)
  .join('\n')}

This page is made from the table in \`src/config.ts\` by \`npm run docs\`, and a test keeps them equal.
`
