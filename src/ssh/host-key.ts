import ssh2 from 'ssh2'

/** By which clients know the server again. */
export interface HostKey {
  /** In the form of OpenSSH. */
  readonly privateKey: string
  /** As in a `.pub` file. */
  readonly publicKey: string
}

export function newHostKey(): HostKey {
  const pair = ssh2.utils.generateKeyPairSync('ed25519')
  return { privateKey: pair.private, publicKey: pair.public.trim() }
}
