/** Where an authority asks for the answer to a challenge of the kind http-01; its token follows. */
export const HTTP_CHALLENGES = '/.well-known/acme-challenge/'

/** What stands before a name when an authority looks for the TXT record of a challenge of the kind dns-01. */
export const DNS_CHALLENGE = '_acme-challenge.'

/**
 * What an authority will look for to see that a name is ours, for the moments in which it looks.
 * Every serving process answers them from the store.
 */
export interface Challenge {
  readonly kind: 'http-01' | 'dns-01' | 'tls-alpn-01'
  /** The name that is asked for, without `*.`. */
  readonly host: string
  /** Tells apart several of one name. */
  readonly token: string
  /** http-01: the text to answer with. dns-01: the TXT value. tls-alpn-01: certificate and key in PEM, sealed. */
  readonly value: string
  readonly expiresAt: number
}

export interface ChallengeStore {
  put(challenge: Challenge): Promise<void>
  find(kind: Challenge['kind'], host: string, now: number): Promise<readonly Challenge[]>
  remove(challenge: Pick<Challenge, 'kind' | 'host' | 'token'>): Promise<void>
  /** Forgets what nobody will ask for any more. */
  prune(now: number): Promise<void>
}
