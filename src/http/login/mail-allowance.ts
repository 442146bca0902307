import type { Visit } from '#core/access/context.ts'
import { networkOf } from '#core/access/network-of.ts'
import { type Limits, rateLimited } from '../limits.ts'

/**
 * Counts a mail with a login link, by who it is for and the network that asks for it. By the address alone ten requests
 * of a stranger would keep somebody from logging in for an hour.
 */
export async function takeLoginMail(limits: Limits, { ip }: Pick<Visit, 'ip'>, email: string): Promise<void> {
  const caller = `${email.trim().toLowerCase()}|${networkOf(ip)}`
  const allowance = await limits.takeFrom('registration-email', caller)
  if (!allowance.allowed) throw rateLimited(allowance)
}
