import type { Challenge } from '#core/certificate/challenge.ts'
import type { Vault } from '#core/ports/vault.ts'

/** What is shown to an authority that looks for a tls-alpn-01 challenge. */
interface TlsChallenge {
  readonly cert: string
  readonly key: string
}

const purpose = (host: string, token: string): string => `tls-challenge ${host} ${token}`

type Sealed = Pick<Challenge, 'host' | 'token' | 'value'>

export const sealTlsChallenge = (
  vault: Vault,
  { host, token }: Pick<Challenge, 'host' | 'token'>,
  { cert, key }: TlsChallenge,
): string => vault.seal(JSON.stringify({ cert, key }), purpose(host, token))

export const openTlsChallenge = (vault: Vault, { host, token, value }: Sealed): TlsChallenge =>
  JSON.parse(vault.open(value, purpose(host, token)))
