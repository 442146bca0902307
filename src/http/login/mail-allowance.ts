import type { Visit } from '#core/access/context.ts'
import { networkOf } from '#core/access/network-of.ts'
import type { Limits } from '../limits.ts'

/**
 * Counts a mail with a login link, by who it is for and the network that asks for it, and answers whether there is one
 * left. By the address alone ten requests of a stranger would keep somebody from logging in for an hour; within one
 * network nobody is kept from it either, since the mail that waits serves again.
 */
export async function takeLoginMail(
  limits: Limits,
  { ip }: Pick<Visit, 'ip'>,
  email: string,
): Promise<boolean> {
  const caller = `${email.trim().toLowerCase()}|${networkOf(ip)}`
  return (await limits.takeFrom('registration-email', caller)).allowed
}
