import { isIPv6 } from 'node:net'

/** What one household or office is usually given: of IPv4 the first three bytes, of IPv6 the first 48 bits. */
export function networkOf(ip: string): string {
  const plain = plainOf(ip)
  return isIPv6(plain) ? firstGroups(plain, 3) : plain.split('.').slice(0, 3).join('.')
}

/**
 * By what somebody is counted of whom nothing is known but an address: by that address, and where it is one of IPv6 by its first
 * 64 bits, because whoever has one of those has all of them.
 */
export function sourceOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const plain = plainOf(ip)
  return isIPv6(plain) ? `${firstGroups(plain, 4)}::/64` : plain
}

/** IPv4 also where the socket speaks both, and without the interface that it came in by. */
const plainOf = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

function firstGroups(ip: string, count: number): string {
  const [head = '', tail] = ip.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
