import type { Logins } from '#core/login/logins.ts'
import type { Operators } from '#core/operator/operators.ts'
import type { Secrets } from '#core/secret/secrets.ts'
import type { Teams } from '#core/team/teams.ts'
import type { Tokens } from '#core/token/tokens.ts'
import type { Limits } from './limits.ts'
import { loginRoutes } from './login/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import type { Route } from './route.ts'
import { secretRoutes } from './secret/routes.ts'
import { type SystemParts, systemRoutes } from './system/routes.ts'
import { teamRoutes } from './team/routes.ts'
import { tokenRoutes } from './token/routes.ts'
import { userRoutes } from './user/routes.ts'

export interface UseCases {
  readonly logins: Logins
  readonly operators: Operators
  readonly secrets: Secrets
  readonly teams: Teams
  readonly tokens: Tokens
}

/** The API's table of contents. */
export function allRoutes(use: UseCases, system: SystemParts, limits: Limits): readonly Route[] {
  const routes: readonly Route[] = [
    ...loginRoutes(use.logins, limits),
    ...userRoutes,
    ...tokenRoutes(use.tokens),
    ...teamRoutes(use.teams),
    ...secretRoutes(use.secrets),
    ...operatorRoutes(use.operators, system.site),
    ...systemRoutes(system, () => routes.map(({ endpoint }) => endpoint)),
  ]
  return routes
}
