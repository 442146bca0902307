import { isIPv6 } from 'node:net'
import type { Visit } from '#core/access/context.ts'
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

/** What one household or office is usually given: of IPv4 the first three bytes, of IPv6 the first 48 bits. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain.split('.').slice(0, 3).join('.')
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
