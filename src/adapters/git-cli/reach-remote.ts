import type { LookupAddress } from 'node:dns'
import { writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { bracketed, withoutBrackets } from '#contract/address-in-url.ts'
import { GitError } from '#core/git/git-repositories.ts'
import type { RemoteAccess } from '#core/git/source/source.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import type { GitRun } from './run-git.ts'

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22 }
/** The file, in the folder of a run, with the keys of hosts. */
export const KNOWN_HOSTS = 'known_hosts'

/** Only the newest commit of what is asked for, and nothing that was not. */
export const FETCH = [
  ...['fetch', '--quiet', '--depth=1', '--no-tags', '--force', '--no-auto-maintenance'],
  ...['--no-write-fetch-head', '--no-recurse-submodules'],
] as const

/** What a run needs to reach one repository and nothing else. What has to be a file is put into the folder `within`. */
export type ReachRemote = (
  access: RemoteAccess,
  within: string,
) => Promise<Pick<GitRun, 'config' | 'env' | 'network'>>

export function createReach(allows: Allows, lookUp: LookUpAll): ReachRemote {
  const addressesOf = (host: string): Promise<readonly LookupAddress[]> =>
    new Promise((resolve, reject) => {
      lookUp(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)))
    })

  /** The address behind a name, looked up once: git connects to this one and to no other. */
  async function resolve(
    url: URL,
  ): Promise<{ readonly host: string; readonly port: number; readonly address: string }> {
    const host = withoutBrackets(url.hostname)
    const port = url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port)
    const found =
      isIP(host) === 0
        ? await addressesOf(host).catch((error: unknown) => {
            throw new GitError(`the host ${host} was not found`, { cause: error })
          })
        : [{ address: host }]
    const allowed = found.find(({ address }) => allows(address, port))
    if (!allowed)
      throw new GitError(
        `${host} is at a private address, which the operator has not opened (ALOFT_PRIVATE_TARGETS)`,
      )
    return { host, port, address: allowed.address }
  }

  return async (access, within) => {
    const url = new URL(access.url)
    const { host, port, address } = await resolve(url)
    const protocol = url.protocol.slice(0, -1)
    const config: Record<string, string> = {
      [`protocol.${protocol}.allow`]: 'always',
      'http.followRedirects': 'false',
      'http.curloptResolve': `${host}:${port}:${bracketed(address)}`,
      // A host that packs much says little for a while; how long a run takes at most is limited in any case.
      'http.lowSpeedLimit': '1',
      'http.lowSpeedTime': '300',
      'transfer.fsckObjects': 'false',
      'fetch.fsckObjects': 'true',
      'fetch.fsck.missingSpaceBeforeDate': 'ignore',
      'fetch.fsck.zeroPaddedFilemode': 'ignore',
      'fetch.fsck.badTimezone': 'ignore',
    }
    if (access.token !== undefined && protocol !== 'ssh') {
      const basic = Buffer.from(`${access.username ?? 'git'}:${access.token}`).toString('base64')
      config['http.extraHeader'] = `Authorization: Basic ${basic}`
    }
    const env =
      protocol === 'ssh' ? { GIT_SSH_COMMAND: await sshCommand(access, within, { host, address }) } : {}
    return { config, env, network: true }
  }
}

/** Git hands this to a shell. Of all that is in it, users choose only the name of the host, which is checked. */
async function sshCommand(
  { key, knownHosts }: RemoteAccess,
  within: string,
  { host, address }: { readonly host: string; readonly address: string },
): Promise<string> {
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new GitError('the name of the host is malformed')
  const file = join(within, 'key')
  await writeFile(file, key ?? '', { mode: 0o600 })
  const known = join(within, KNOWN_HOSTS)
  if (knownHosts !== undefined) await writeFile(known, knownHosts, { mode: 0o600 })
  const options = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityFile: file,
    StrictHostKeyChecking: knownHosts === undefined ? 'accept-new' : 'yes',
    UserKnownHostsFile: known,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    HostName: address,
    HostKeyAlias: host,
    ConnectTimeout: '20',
    ProxyCommand: 'none',
    ForwardAgent: 'no',
  }
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    'ssh',
    '-F',
    '/dev/null',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', quote(`${name}=${value}`)]),
  ].join(' ')
}
