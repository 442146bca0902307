import { AloftError } from '#contract/errors.ts'
import type { Owner } from './context.ts'

interface Accounts {
  byId(id: string): Promise<Pick<Owner, 'softBlocked'> | undefined>
}

interface AccountStores {
  readonly users: Accounts
  readonly teams: Accounts
}

/** Refuses changes and deployments of an account that was blocked until its payment is settled. */
export function refuseBlocked({ softBlocked }: Pick<Owner, 'softBlocked'>): void {
  if (softBlocked)
    throw new AloftError(
      'payment_required',
      'This account is blocked. Settle its outstanding payment to make changes.',
    )
}

/** Whether an account is blocked, for what nobody has signed in for; one that is gone counts as blocked. */
export async function isBlocked({ users, teams }: AccountStores, ownerId: string): Promise<boolean> {
  const account = (await users.byId(ownerId)) ?? (await teams.byId(ownerId))
  return account === undefined || account.softBlocked
}
