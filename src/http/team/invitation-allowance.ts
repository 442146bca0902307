import type { Context } from '#core/access/context.ts'
import { type Limits, rateLimited } from '../limits.ts'

/**
 * Counts a mail that somebody has sent to an address of their choice. Invited, removed and invited again, over and over,
 * the owner of the address would get as many mails as there may be requests.
 */
export async function takeInvitationMail(
  limits: Limits,
  { actor }: Pick<Context, 'actor'>,
  email: string,
): Promise<void> {
  const { id } = actor.user
  const taken = [
    await limits.takeFrom('invitation-email', `${id}|${email.trim().toLowerCase()}`),
    await limits.takeFrom('invitation-emails', id),
  ]
  for (const allowance of taken) if (!allowance.allowed) throw rateLimited(allowance)
}
