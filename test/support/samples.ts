import { newId } from '#contract/ids.ts'
import type { Login } from '#core/login/login.ts'
import type { Secret } from '#core/secret/secret.ts'
import type { Team } from '#core/team/team.ts'
import type { Token } from '#core/token/token.ts'
import type { User } from '#core/user/user.ts'

export function sampleUser(given: Partial<User> = {}): User {
  const id = given.id ?? newId.user()
  return {
    id,
    email: `${id.toLowerCase()}@aloft.test`,
    username: `user-${id.toLowerCase()}`,
    name: null,
    avatar: null,
    plan: 'free',
    softBlocked: false,
    operator: false,
    createdAt: 1_700_000_000_000,
    ...given,
  }
}

export function sampleTeam(given: Partial<Team> & Pick<Team, 'creatorId'>): Team {
  const id = given.id ?? newId.team()
  return {
    id,
    slug: id.toLowerCase(),
    name: 'A team',
    avatar: null,
    plan: 'pro',
    softBlocked: false,
    membersMayEditProduction: true,
    createdAt: 1_700_000_000_000,
    ...given,
  }
}

export const sampleToken = (given: Partial<Token> & Pick<Token, 'userId'>): Token => ({
  id: newId.tokenId(),
  name: 'a token',
  kind: 'account',
  createdAt: 1_700_000_000_000,
  activeAt: 1_700_000_000_000,
  expiresAt: null,
  ...given,
})

export const sampleLogin = (given: Partial<Login> = {}): Login => ({
  id: newId.request(),
  email: 'somebody@aloft.test',
  tokenName: 'a terminal',
  securityCode: 'Calm Otter',
  ip: '192.0.2.1',
  userAgent: 'curl',
  createdAt: 1_700_000_000_000,
  expiresAt: 1_700_000_001_000,
  acceptedAt: null,
  ...given,
})

export function sampleSecret(given: Partial<Secret> = {}): Secret {
  const id = given.id ?? newId.secret()
  return {
    id,
    ownerId: 'an-account',
    name: `name-of-${id}`,
    creatorId: 'a-user',
    createdAt: 1_700_000_000_000,
    ...given,
  }
}
