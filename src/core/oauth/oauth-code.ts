import { MINUTE } from '#contract/time.ts'

/** What an application is given after consent, to be exchanged for a token. Only its hash is stored. */
export interface OauthCode {
  readonly hash: string
  readonly installationId: string
  readonly applicationId: string
  /** Who consented. */
  readonly userId: string
  /** Whoever exchanges the code has to know the text with this digest (PKCE); null if none was sent. */
  readonly challenge: string | null
  readonly createdAt: number
  readonly usedAt: number | null
  /** What it was exchanged for. */
  readonly tokenId: string | null
}

/** How long a code can be exchanged. */
export const CODE_LIFE = 30 * MINUTE

export interface OauthCodeStore {
  add(code: OauthCode): Promise<void>
  byHash(hash: string): Promise<OauthCode | undefined>
  /** Answers false when somebody else has used it: then nothing changed. */
  use(hash: string, usedAt: number, tokenId: string): Promise<boolean>
  /** Forgets what was made before. */
  prune(before: number): Promise<void>
}
