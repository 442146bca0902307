import { isIP } from 'node:net'
import { bracketed } from '#contract/address-in-url.ts'
import { PLANS, type Plan } from '#contract/limit/limits.ts'
import { ORIGINS, type Origin } from '#contract/origins.ts'
import { Redacted } from '#contract/redacted.ts'
import {
  address,
  addresses,
  apiHosts,
  baseUrl,
  bootstrapToken,
  bytes,
  count,
  countTo,
  DOMAIN_PRICES,
  domain,
  email,
  endpoint,
  masterKey,
  type NearNetwork,
  nameservers,
  nearNetworks,
  oneOf,
  ownAddresses,
  path,
  percent,
  port,
  postgresUrl,
  prices,
  programPath,
  proxies,
  ranges,
  resolvers,
  type SettingReader,
  seconds,
  secretUrl,
  smtpUrl,
  text,
  url,
} from './readers.ts'

interface Row<T> {
  readonly variable: `ALOFT_${string}` | `AWS_${string}`
  readonly meaning: string
  readonly read: SettingReader<T>
  /** The text that is read where none is given. */
  readonly usual?: string
  /** What it is where none is given, if no text says it; undefined unless said. */
  readonly fallback?: (so: Fallbacks) => T
  /** That as the docs say it; `none` unless said. */
  readonly default?: string
}

export type Setting<T> = Row<T> &
  (undefined extends T ? object : Required<Pick<Row<T>, 'usual'>> | Required<Pick<Row<T>, 'fallback'>>)

/** What a default may depend on. */
export interface Fallbacks {
  readonly domain: string
  readonly host: string
  readonly port: number
}

const setting = <T>(row: Setting<T>): Setting<T> => row

/** Every setting there is. docs/config.md is made from this table. */
export const SETTINGS = {
  dataDir: setting({
    variable: 'ALOFT_DATA_DIR',
    usual: '.aloft',
    meaning: 'Folder for the embedded database, files, certificates, outbox and build caches.',
    read: path,
  }),
  host: setting({
    variable: 'ALOFT_HOST',
    usual: '127.0.0.1',
    meaning: 'The IP address that the listeners bind to.',
    read: address,
  }),
  port: setting({
    variable: 'ALOFT_PORT',
    usual: '3000',
    meaning: 'HTTP: API, dashboard and deployments, distinguished by the Host header.',
    read: port(1),
  }),
  tlsPort: setting({
    variable: 'ALOFT_TLS_PORT',
    usual: '3443',
    meaning: 'HTTPS with HTTP/2 and HTTP/1.1, TLS 1.2 and later, certificate selected by SNI; `0` = off.',
    read: port(0),
  }),
  dnsPort: setting({
    variable: 'ALOFT_DNS_PORT',
    usual: '5300',
    meaning: 'Authoritative DNS, UDP and TCP; `0` = off.',
    read: port(0),
  }),
  sshPort: setting({
    variable: 'ALOFT_SSH_PORT',
    usual: '0',
    meaning: 'SSH, for `git push` and `git fetch` with a key; `0` = off.',
    read: port(0),
  }),
  domain: setting({
    variable: 'ALOFT_DOMAIN',
    usual: 'localhost',
    meaning: 'The suffix of deployment hosts and platform aliases: `<anything>.<domain>`.',
    read: domain,
  }),
  publicAddresses: setting<readonly string[]>({
    variable: 'ALOFT_PUBLIC_ADDRESSES',
    default: '`ALOFT_HOST` if it is a specific address, otherwise those of the machine',
    meaning: 'Comma-separated IP addresses at which visitors reach this installation, for its DNS answers.',
    read: addresses,
    fallback: ({ host }) => (isIP(host) !== 0 && !/^[0.:]+$/.test(host) ? [host] : ownAddresses(host)),
  }),
  trustedProxies: setting<readonly string[]>({
    variable: 'ALOFT_TRUSTED_PROXIES',
    meaning:
      'Comma-separated IP addresses and CIDR ranges of proxies in front of Aloft, or `private` for loopback and private networks. From these, `x-forwarded-for` and `x-forwarded-proto` are believed.',
    read: proxies,
    fallback: () => [],
  }),
  nameservers: setting<readonly string[]>({
    variable: 'ALOFT_NAMESERVERS',
    default: '`ns1.<domain>,ns2.<domain>`',
    meaning: "Comma-separated names of this installation's nameservers, to which domains are delegated.",
    read: nameservers,
    fallback: (so) => [`ns1.${so.domain}`, `ns2.${so.domain}`],
  }),
  dnsNetworks: setting<readonly NearNetwork[]>({
    variable: 'ALOFT_DNS_NETWORKS',
    default: 'none: DNS answers contain all machines',
    meaning:
      'Comma-separated pairs such as `203.0.113.0/24=bru1`: the origin whose machines DNS returns to clients of a network. The most specific network applies.',
    read: nearNetworks,
    fallback: () => [],
  }),
  apiHosts: setting({
    variable: 'ALOFT_API_HOSTS',
    default: '`localhost,127.0.0.1,[::1],api.<domain>`',
    meaning: 'The hosts that serve the API and the dashboard; `api-<origin>.<domain>` always does.',
    read: apiHosts,
    fallback: (so) => ['localhost', '127.0.0.1', '[::1]', `api.${so.domain}`],
  }),
  origin: setting<Origin>({
    variable: 'ALOFT_ORIGIN',
    usual: 'iad1',
    meaning: `The origin (region) of this machine: ${ORIGINS.map((o) => `\`${o}\``).join(', ')}.`,
    read: oneOf(ORIGINS),
  }),
  baseUrl: setting({
    variable: 'ALOFT_BASE_URL',
    default: 'from host and port',
    meaning: 'The URL of the API and dashboard, used in links and emails.',
    read: baseUrl,
    fallback: ({ host, port }) => {
      const local = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
      const name = local ? 'localhost' : bracketed(host)
      return `http://${name}${port === 80 ? '' : `:${port}`}`
    },
  }),
  databaseUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_DATABASE_URL',
    default: 'SQLite in the data folder',
    meaning:
      '`postgres://user@host:5432/name`, for an installation with several machines. PostgreSQL 12 or newer. If a standby can take over, name several hosts, `postgres://user@one:5432,two:5432/name`: Aloft uses the one that takes writes.',
    read: postgresUrl,
  }),
  blobUrl: setting<string | undefined>({
    variable: 'ALOFT_BLOB_URL',
    default: 'the data folder',
    meaning:
      '`s3://bucket/prefix?endpoint=…&region=…` for an installation with several machines; credentials come from the usual AWS variables.',
    read: url('s3:'),
  }),
  blobFrom: setting<string | undefined>({
    variable: 'ALOFT_BLOB_FROM',
    meaning:
      'The previous object store, in the same format: files are read from it until `aloft operator move-content` has moved them to the current store. Not needed to move files from the disk of this machine.',
    read: url('s3:'),
  }),
  cacheBytes: setting({
    variable: 'ALOFT_CACHE_BYTES',
    usual: '10G',
    meaning:
      'With an object store: disk space for file copies on this machine, in bytes or with K, M, G or T. The least recently used copies are removed first.',
    read: bytes,
  }),
  awsKeyId: setting<string | undefined>({
    variable: 'AWS_ACCESS_KEY_ID',
    meaning: 'Access key id for the object store.',
    read: text,
  }),
  awsSecretKey: setting<Redacted | undefined>({
    variable: 'AWS_SECRET_ACCESS_KEY',
    meaning: 'Secret access key for the object store.',
    read: (value) => new Redacted(text(value)),
  }),
  awsSessionToken: setting<Redacted | undefined>({
    variable: 'AWS_SESSION_TOKEN',
    meaning: 'Session token for temporary credentials.',
    read: (value) => new Redacted(text(value)),
  }),
  redisUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_REDIS_URL',
    default: 'none: in-process',
    meaning: 'Shared rate-limit counters and cache invalidation for several machines.',
    read: secretUrl('redis:', 'rediss:', 'unix:'),
  }),
  clusterAddress: setting<string | undefined>({
    variable: 'ALOFT_CLUSTER_ADDRESS',
    meaning:
      'Where other machines of the installation reach the functions of this one, as `address:port` or `name:port` on a shared network. With an address, it listens only there; with a name, on all addresses of the machine. Connections require a certificate issued by the installation.',
    read: endpoint,
  }),
  runtime: setting<'process' | 'docker' | 'swarm'>({
    variable: 'ALOFT_RUNTIME',
    usual: 'process',
    meaning:
      'Where builds and functions run: `process`; `docker`, which also supports deployments that are images; or `swarm`, which runs images on the nodes of a Docker Swarm.',
    read: oneOf(['process', 'docker', 'swarm']),
  }),
  imagePort: setting<number>({
    variable: 'ALOFT_IMAGE_PORT',
    usual: '3550',
    meaning:
      'With `ALOFT_RUNTIME=swarm`: loopback port from which the Docker Engine of this machine pulls images of deployments. Must be the same on all machines.',
    read: port(1),
  }),
  workers: setting<number | undefined>({
    variable: 'ALOFT_WORKERS',
    default: 'one, and under load up to one per core',
    meaning: 'Number of serving processes on this machine; a number fixes it.',
    read: countTo(1024),
  }),
  smtpUrl: setting<Redacted | undefined>({
    variable: 'ALOFT_SMTP_URL',
    default: 'none: `<data folder>/outbox/*.eml`',
    meaning: 'Mail server: `smtp://user:pass@host:port`.',
    read: smtpUrl,
  }),
  acmeDirectory: setting<string | undefined>({
    variable: 'ALOFT_ACME_DIRECTORY',
    default: 'none: a local certificate authority in the data folder',
    meaning: 'The ACME directory URL of a public certificate authority.',
    read: url('https:', 'http:'),
  }),
  httpsRedirect: setting({
    variable: 'ALOFT_HTTPS_REDIRECT',
    usual: 'auto',
    meaning:
      'Whether custom domains with a certificate redirect from HTTP to HTTPS: `on`, `off`, or `auto`: if the TLS port is 443 and a public authority issues the certificates.',
    read: oneOf(['auto', 'on', 'off']),
  }),
  acmeEmail: setting<string | undefined>({
    variable: 'ALOFT_ACME_EMAIL',
    meaning:
      'Email address at which that authority can contact you, for example before a certificate expires.',
    read: email,
  }),
  resolvers: setting<readonly string[] | undefined>({
    variable: 'ALOFT_RESOLVERS',
    default: "the system's",
    meaning: 'Comma-separated `ip:port` DNS servers used to verify domains and to resolve ALIAS targets.',
    read: resolvers,
  }),
  privateTargets: setting<readonly string[]>({
    variable: 'ALOFT_PRIVATE_TARGETS',
    meaning:
      'Comma-separated private IP addresses or CIDR ranges that rewrites, webhooks, log drains, builds and functions are allowed to reach, such as `10.0.0.0/8`. To let builds and functions reach an address of this machine, list that exact address.',
    read: ranges,
    fallback: () => [],
  }),
  verifyDrains: setting<'on' | 'off'>({
    variable: 'ALOFT_VERIFY_LOG_DRAINS',
    usual: 'on',
    meaning:
      'Whether a log drain endpoint must return the code of the account (`x-platform-verify`) before it receives logs; `off` for endpoints that cannot.',
    read: oneOf(['on', 'off']),
  }),
  registrar: setting<'sandbox' | 'name.com'>({
    variable: 'ALOFT_REGISTRAR',
    usual: 'sandbox',
    meaning:
      'Registrar that sells domains: `sandbox` (simulated, free of charge) or `name.com`, which needs the user and key below.',
    read: oneOf(['sandbox', 'name.com']),
  }),
  registrarUrl: setting({
    variable: 'ALOFT_REGISTRAR_URL',
    usual: 'https://api.name.com',
    meaning: 'API URL of the registrar; `https://api.dev.name.com` is its test system.',
    read: baseUrl,
  }),
  registrarUser: setting<string | undefined>({
    variable: 'ALOFT_REGISTRAR_USER',
    meaning: 'The user at the registrar.',
    read: text,
  }),
  registrarKey: setting<Redacted | undefined>({
    variable: 'ALOFT_REGISTRAR_KEY',
    meaning: "The API token of the registrar's user.",
    read: (value) => new Redacted(text(value)),
  }),
  domainPrices: setting<ReadonlyMap<string, number>>({
    variable: 'ALOFT_DOMAIN_PRICES',
    usual: DOMAIN_PRICES,
    meaning: 'Top-level domains that the sandbox sells, with their price in US dollars per year.',
    read: prices,
  }),
  transferMinutes: setting({
    variable: 'ALOFT_TRANSFER_MINUTES',
    usual: '1',
    meaning: 'How long a transfer in the sandbox stays in each state.',
    read: count,
  }),
  gitMaxPush: setting({
    variable: 'ALOFT_GIT_MAX_PUSH',
    usual: '2G',
    meaning: 'The largest push that the Git server accepts, such as `500M`.',
    read: bytes,
  }),
  gitMaxRefs: setting({
    variable: 'ALOFT_GIT_MAX_REFS',
    usual: '10000',
    meaning: 'How many branches and tags together a repository can have, on the Git server or connected.',
    read: count,
  }),
  rateLimit: setting<number | undefined>({
    variable: 'ALOFT_RATE_LIMIT',
    default: 'per group of endpoints',
    meaning: 'Requests per minute for each caller and endpoint, instead of the limit of its group.',
    read: count,
  }),
  defaultPlan: setting<Plan>({
    variable: 'ALOFT_DEFAULT_PLAN',
    usual: 'enterprise',
    meaning: `The plan of new accounts: ${PLANS.map((p) => `\`${p}\``).join(', ')}.`,
    read: oneOf(PLANS),
  }),
  sandbox: setting<'required' | 'auto' | 'off'>({
    variable: 'ALOFT_SANDBOX',
    usual: 'auto',
    meaning:
      'Isolation of builds and functions: `required` (refuse to run without it), `auto` (use it if the machine supports it, otherwise warn), `off`.',
    read: oneOf(['required', 'auto', 'off']),
  }),
  chromium: setting<string | 'off' | undefined>({
    variable: 'ALOFT_CHROMIUM',
    default: 'searched in the usual places',
    meaning:
      'Path of the browser that takes screenshots of deployments; `off` for none. It runs in the sandbox, so without a sandbox there are no screenshots.',
    read: programPath,
  }),
  bootstrapEmail: setting<string | undefined>({
    variable: 'ALOFT_BOOTSTRAP_EMAIL',
    meaning: 'With the token below: creates this operator account at startup, unless it exists.',
    read: email,
  }),
  bootstrapToken: setting<Redacted | undefined>({
    variable: 'ALOFT_BOOTSTRAP_TOKEN',
    meaning: 'The API token of the account above.',
    read: bootstrapToken,
  }),
  masterKey: setting<Redacted | undefined>({
    variable: 'ALOFT_MASTER_KEY',
    default: 'generated once in the data folder, mode 0600',
    meaning: '32 bytes, base64: encrypts secrets, sensitive variables and private keys at rest.',
    read: masterKey,
  }),
  logBytes: setting({
    variable: 'ALOFT_LOG_BYTES',
    usual: '10G',
    meaning:
      'Maximum size of the logs of requests and functions, in bytes or with K, M, G or T; the oldest entries are deleted first. In the embedded database they also never use more than a fifth of the disk space that would be free without them.',
    read: bytes,
  }),
  memoryShare: setting({
    variable: 'ALOFT_MEMORY_SHARE',
    usual: '80',
    meaning:
      "Percentage of the machine's memory that the running functions of one account can use together, according to their limits. While memory is actually short, only accounts below an equal share can start more.",
    read: percent,
  }),
  hangSeconds: setting({
    variable: 'ALOFT_HANG_SECONDS',
    usual: '15',
    meaning:
      'A platform process that does not respond for this long is killed and replaced, and the log says what it was doing; `0` = never.',
    read: seconds,
  }),
  logLevel: setting({
    variable: 'ALOFT_LOG_LEVEL',
    usual: 'info',
    meaning: 'Log level: `debug`, `info`, `warn`, `error` or `silent`.',
    read: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
  }),
} as const

export type SettingName = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer T> ? T : never
export type Config = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> }
