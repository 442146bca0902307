import type { UseCases } from '#http/routes.ts'
import { type HostKey, isReadable, newHostKey } from '#ssh/host-key.ts'
import { type SshServer, startSshServer } from '#ssh/server.ts'
import type { SshLimits } from '#ssh/ssh-limits.ts'
import type { Config } from '../../../config/config.ts'
import { ensureSealed, type Sealing } from '../../tls/authority.ts'
import type { Parts } from '../parts.ts'
import { SSH_HOST_KEY } from './ssh-address.ts'

/** Git over SSH in this process. Loaded only where the operator has switched it on. */
export async function startSsh(
  config: Pick<Config, 'host' | 'sshPort' | 'origin'>,
  parts: Parts,
  use: Pick<UseCases, 'git' | 'sshKeys'>,
  {
    reusePort,
    sockets,
    limits,
  }: {
    readonly reusePort: boolean
    readonly sockets?: readonly number[] | undefined
    readonly limits?: Partial<SshLimits> | undefined
  },
): Promise<SshServer> {
  const { privateKey } = await ensureHostKey(parts)
  const { pushes, repositories, follow, maxBytes, maxRefs, turns, room } = use.git
  return startSshServer({
    host: config.host,
    port: config.sshPort,
    reusePort,
    ...(limits ? { limits } : {}),
    ...(sockets ? { sockets } : {}),
    hostKey: privateKey,
    keys: use.sshKeys,
    ...{ pushes, repositories, follow, maxBytes, maxRefs, turns, room },
    teams: parts.stores.teams,
    origin: config.origin,
    log: parts.log,
  })
}

/**
 * One for all processes and machines: clients remember it. Earlier versions have stored some that cannot be read. No server has ever
 * started with such a key, so that no client remembers it, and another takes its place.
 */
export async function ensureHostKey(parts: Sealing): Promise<HostKey> {
  const make = async () => JSON.stringify(newHostKey())
  const isOfUse = (value: string) => isReadable(JSON.parse(value) as HostKey)
  return JSON.parse(await ensureSealed(parts, SSH_HOST_KEY, make, isOfUse)) as HostKey
}
