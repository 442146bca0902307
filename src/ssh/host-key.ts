import ssh2 from 'ssh2'

/** By which clients know the server again. */
export interface HostKey {
  /** In the form of OpenSSH. */
  readonly privateKey: string
  /** As in a `.pub` file. */
  readonly publicKey: string
}

/** One key in two hundred that the library makes is one that it cannot read, and with which no server would start. */
export function newHostKey(): HostKey {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519')
    const key = { privateKey: pair.private, publicKey: pair.public.trim() }
    if (isReadable(key)) return key
  }
}

/** Whether a server can start with it. */
export const isReadable = ({ privateKey }: HostKey): boolean =>
  !(ssh2.utils.parseKey(privateKey) instanceof Error)
