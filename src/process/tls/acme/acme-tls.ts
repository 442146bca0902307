import { createSecureContext } from 'node:tls'
import { openTlsChallenge } from '#adapters/cert-acme/tls-challenge.ts'
import type { ChallengeStore } from '#core/certificate/challenge.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Vault } from '#core/ports/vault.ts'
import { type ChallengeFor, TLS_CONTEXT } from '#listener/listener-tls.ts'
import { readServerName } from '../tls-names.ts'

interface TlsChallengeParts {
  readonly challenges: ChallengeStore
  readonly vault: Vault
  readonly clock: Clock
}

/** Shows authorities the challenges of tls-alpn-01. */
export function createTlsChallenges({ challenges, vault, clock }: TlsChallengeParts): ChallengeFor {
  return async (servername) => {
    const host = readServerName(servername)
    const found = host === undefined ? [] : await challenges.find('tls-alpn-01', host, clock.now())
    const [newest] = found.toSorted((a, b) => b.expiresAt - a.expiresAt)
    if (newest === undefined) throw new Error('there is no pending challenge for this name')
    return createSecureContext({ ...TLS_CONTEXT, ...openTlsChallenge(vault, newest) })
  }
}
