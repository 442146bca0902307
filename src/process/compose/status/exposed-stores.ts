import { isIPv4, isIPv6 } from 'node:net'
import { withoutBrackets } from '#contract/address-in-url.ts'
import { isLocalName } from '#contract/local-name.ts'
import { postgresServers } from '#contract/postgres-servers.ts'
import type { Config } from '../../../config/config.ts'

const isThisMachine = (host: string): boolean => {
  const name = withoutBrackets(host).toLowerCase()
  if (name.startsWith('/') || name.startsWith('%2f')) return true
  if (isIPv4(name)) return name.startsWith('127.')
  return isIPv6(name) ? name === '::1' : name === '' || isLocalName(name)
}

/** Whether a server is on another machine. A socket is named by its folder, as the host or as a parameter, which counts more. */
export const isElsewhere = ({ protocol, hostname, searchParams }: URL): boolean =>
  protocol !== 'unix:' && !isThisMachine(searchParams.get('host') ?? hostname)

/** Whether what is spoken with PostgreSQL is encrypted, and the server has to prove who it is, as its driver reads it. */
function postgresTls(parameters: URLSearchParams): 'none' | 'unproven' | 'proven' {
  const mode =
    parameters.get('sslmode') ?? (/^(?:1|true)$/.test(parameters.get('ssl') ?? '') ? 'require' : 'disable')
  if (mode === 'no-verify') return 'unproven'
  if (mode === 'disable') return 'none'
  // As libpq has it, only these look at the certificate.
  const isLax = parameters.get('uselibpqcompat') === 'true' && !/^verify-/.test(mode)
  return isLax ? (mode === 'require' ? 'unproven' : 'none') : 'proven'
}

/**
 * What somebody else on the network could read or pretend to be of the database and of Redis. Over a socket or loopback
 * there is nobody else.
 */
export function exposedStores({
  databaseUrl,
  redisUrl,
}: Pick<Config, 'databaseUrl' | 'redisUrl'>): readonly string[] {
  const faults: string[] = []
  const servers = databaseUrl && postgresServers(databaseUrl.reveal())
  // They differ in nothing but where they are.
  const database = servers?.map((url) => new URL(url)).find(isElsewhere)
  if (database) {
    const tls = postgresTls(database.searchParams)
    if (tls === 'none')
      faults.push(
        'The connection to PostgreSQL does not use TLS: add `?sslmode=verify-full` to ALOFT_DATABASE_URL',
      )
    if (tls === 'unproven')
      faults.push(
        'The certificate of PostgreSQL is not verified: use `sslmode=verify-full` in ALOFT_DATABASE_URL',
      )
    if (database.password === '' && !process.env.PGPASSWORD)
      faults.push('PostgreSQL has no password: set one in ALOFT_DATABASE_URL')
  }
  const redis = redisUrl && new URL(redisUrl.reveal())
  if (redis && isElsewhere(redis)) {
    if (redis.protocol !== 'rediss:')
      faults.push('The connection to Redis does not use TLS: use `rediss://` in ALOFT_REDIS_URL')
    if (redis.password === '') faults.push('Redis has no password: set one in ALOFT_REDIS_URL')
  }
  return faults
}
