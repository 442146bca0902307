import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { authorise, type Memberships, refuseDisabled, resolveOwner } from './authorise.ts'
import { type Actor, type Context, personalOwner } from './context.ts'

/** Lets somebody pass once more, for the same account. Undefined when they would be refused now. */
export async function stillAllowed(
  row: Endpoint,
  ctx: Context,
  actor: Actor | undefined,
  teams: Memberships,
): Promise<Context | undefined> {
  if (actor?.token.id !== ctx.actor.token.id) return undefined
  // The tokens of an application may have become somebody else's.
  if (actor.user.id !== ctx.actor.user.id) return undefined
  try {
    refuseDisabled(actor)
    const owner =
      ctx.owner.kind === 'team'
        ? await resolveOwner(actor, { teamId: ctx.owner.id }, teams)
        : personalOwner(actor.user)
    authorise(row, actor, owner)
    return { ...ctx, actor, owner }
  } catch (error) {
    if (error instanceof AloftError && error.status < 500) return undefined
    throw error
  }
}
