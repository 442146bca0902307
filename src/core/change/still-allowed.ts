import { followChanges } from '#contract/api/change.ts'
import { AloftError } from '#contract/errors.ts'
import { authorise, type Memberships, refuseDisabled, resolveOwner } from '../access/authorise.ts'
import { type Actor, type Context, personalOwner } from '../access/context.ts'

/** Lets somebody pass once more, for the same account. Undefined when they would be refused now. */
export async function stillAllowed(
  ctx: Context,
  actor: Actor | undefined,
  teams: Memberships,
): Promise<Context | undefined> {
  if (actor?.token.id !== ctx.actor.token.id) return undefined
  try {
    refuseDisabled(actor)
    const owner =
      ctx.owner.kind === 'team'
        ? await resolveOwner(actor, { teamId: ctx.owner.id }, teams)
        : personalOwner(actor.user)
    authorise(followChanges, actor, owner)
    return { ...ctx, actor, owner }
  } catch (error) {
    if (error instanceof AloftError && error.status < 500) return undefined
    throw error
  }
}
