import { fingerprintOf } from '#core/ssh-key/public-key.ts'
import type { SshAddress } from '#http/ssh-key/routes.ts'
import type { Config } from '../../../config/config.ts'
import type { Sealing } from '../../tls/authority.ts'

/** Under which the key of the SSH server is kept. */
export const SSH_HOST_KEY = 'ssh-host-key'

/** Where git is served over SSH, and the key that clients are shown; undefined where it is not. */
export const createSshAddress =
  (config: Pick<Config, 'baseUrl' | 'sshPort'>, { stores, vault }: Sealing) =>
  async (): Promise<SshAddress | undefined> => {
    if (config.sshPort === 0) return undefined
    const sealed = await stores.settings.get(SSH_HOST_KEY)
    if (sealed === undefined) return undefined
    const { publicKey } = JSON.parse(vault.open(sealed, SSH_HOST_KEY)) as { publicKey: string }
    const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
    return {
      host: new URL(config.baseUrl).hostname,
      port: config.sshPort,
      hostKeyFingerprint: fingerprintOf(blob),
    }
  }
