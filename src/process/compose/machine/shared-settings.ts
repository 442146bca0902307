import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JoinSettings } from '#contract/join-seal.ts'
import { postgresServers } from '#contract/postgres-servers.ts'
import { Redacted } from '#contract/redacted.ts'
import type { Config } from '../../../config/config.ts'
import type { NearNetwork } from '../../../config/readers.ts'
import { SETTINGS, type SettingName } from '../../../config/settings.ts'
import { isElsewhere } from '../status/exposed-stores.ts'

/** What has to be the same on every machine of an installation. */
const SHARED = [
  ...([
    'domain',
    'nameservers',
    'dnsNetworks',
    'apiHosts',
    'baseUrl',
    'databaseUrl',
    'blobUrl',
    'redisUrl',
  ] as const),
  ...(['awsKeyId', 'awsSecretKey', 'awsSessionToken', 'smtpUrl', 'acmeDirectory', 'acmeEmail'] as const),
  ...(['httpsRedirect', 'runtime', 'defaultPlan', 'rateLimit', 'registrar', 'registrarUrl'] as const),
  ...(['registrarUser', 'registrarKey'] as const),
] as const satisfies readonly SettingName[]

/** Without these there is nothing that two machines could share. */
const NEEDED = ['databaseUrl', 'redisUrl', 'blobUrl'] as const

/** The settings of another machine, by their variables; or why there can be none. */
export function sharedSettings(config: Config): JoinSettings | string {
  const missing = NEEDED.filter((name) => config[name] === undefined).map((name) => SETTINGS[name].variable)
  if (missing.length > 0)
    return `The machines of an installation must share their stores. Set ${missing.join(', ')} here first, as described in docs/scale.md.`
  for (const [name, urls] of [
    ['databaseUrl', postgresServers(config.databaseUrl?.reveal() ?? '') ?? []],
    ['redisUrl', [config.redisUrl?.reveal() ?? '']],
  ] as const)
    if (!urls.every((url) => isElsewhere(new URL(url))))
      return `${SETTINGS[name].variable} points to this machine itself. Use the address at which other machines reach it.`
  const given = SHARED.flatMap((name) => {
    const value: unknown = config[name]
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return []
    const text =
      value instanceof Redacted
        ? value.reveal()
        : Array.isArray(value)
          ? value.map(textOfItem).join(',')
          : String(value)
    return [[SETTINGS[name].variable, text] as const]
  })
  const masterKey =
    config.masterKey?.reveal() ?? readFileSync(join(config.dataDir, 'master.key'), 'utf8').trim()
  return { ...Object.fromEntries(given), [SETTINGS.masterKey.variable]: masterKey }
}

const textOfItem = (item: string | NearNetwork): string =>
  typeof item === 'string' ? item : `${item.address}/${item.prefix}=${item.origin}`
