import { AloftError } from '#contract/errors.ts'
import { newId, newSuffix } from '#contract/ids.ts'
import type { Plan } from '#contract/limit/limits.ts'
import { isReservedLabel } from '../alias/platform-names.ts'
import type { Clock } from '../ports/clock.ts'
import { type User, usernameFor } from './user.ts'
import type { UserStore } from './user-store.ts'

export interface UserRules {
  readonly clock: Clock
  readonly defaultPlan: Plan
}

const ATTEMPTS = 8

/** Finds the account of an address or makes it, inside the caller's transaction. */
export async function ensureUser(
  users: UserStore,
  email: string,
  rules: UserRules & { readonly operator?: boolean },
): Promise<User> {
  const known = await users.byEmail(email)
  if (known) return known
  const wanted = usernameFor(email)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const user: User = {
      id: newId.user(),
      email,
      username: attempt === 0 && !isReservedLabel(wanted) ? wanted : `${wanted}-${newSuffix()}`,
      name: null,
      avatar: null,
      plan: rules.defaultPlan,
      softBlocked: false,
      operator: rules.operator ?? false,
      createdAt: rules.clock.now(),
    }
    if (await users.insert(user)) return user
    const raced = await users.byEmail(email)
    if (raced) return raced
  }
  throw new AloftError('conflict', `No unused username was found for ${wanted}.`)
}
