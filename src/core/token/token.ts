import { hash } from 'node:crypto'
import { DAY, HOUR } from '#contract/time.ts'

/** Those of a kind `session` are never stored: a session stands in for them. */
const TOKEN_KINDS = ['login', 'account', 'oauth2', 'session'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

export interface Token {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly kind: TokenKind
  readonly createdAt: number
  readonly activeAt: number
  readonly expiresAt: number | null
  /** The installation of an application that acts with it; null for a person's own. */
  readonly installationId: string | null
}

/** A login that nobody used for this long has to be made again. */
export const LOGIN_IDLE = 10 * DAY

/** `activeAt` is kept this coarse, so that reading does not become writing. */
export const ACTIVITY_STEP = HOUR

export const isLive = (token: Token, now: number): boolean =>
  (token.expiresAt === null || token.expiresAt > now) &&
  (token.kind !== 'login' || token.activeAt + LOGIN_IDLE > now)

/** Until when nothing but a change of what is stored can change what comes of looking at it. */
export const unchangedUntil = ({ expiresAt, activeAt }: Token): number =>
  Math.min(expiresAt ?? Number.POSITIVE_INFINITY, activeAt + ACTIVITY_STEP)

/** Bearer values are random and long, so one fast hash keeps them safe at rest. */
export const hashBearer = (bearer: string): string => hash('sha256', bearer)
