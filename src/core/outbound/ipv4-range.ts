import { isIPv4 } from 'node:net'

/** A range of IPv4 addresses as numbers. */
interface Range {
  readonly first: number
  readonly bits: number
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')

/** Of an address or a CIDR range, whose address may be any in it; undefined where it is not of IPv4. */
function read(range: string): Range | undefined {
  const [address = '', bits = '32'] = range.split('/')
  if (!isIPv4(address)) return undefined
  const size = 2 ** (32 - Number(bits))
  return { first: Math.floor(numberOf(address) / size) * size, bits: Number(bits) }
}

/** As the kernel wants it: with the first address of the range. */
export function normalRange(range: string): string | undefined {
  const found = read(range)
  return found && `${textOf(found.first)}/${found.bits}`
}

/** What reaches all in a network: its last address. Undefined where it has none, as one of two addresses or of IPv6. */
export function broadcastOf(range: string): string | undefined {
  const found = read(range)
  return found && found.bits < 31 ? textOf(found.first + 2 ** (32 - found.bits) - 1) : undefined
}

/** Whether all of a range lies in another. */
export function isWithin(range: string, other: string): boolean {
  const [inner, outer] = [read(range), read(other)]
  if (!inner || !outer || inner.bits < outer.bits) return false
  const size = 2 ** (32 - outer.bits)
  return Math.floor(inner.first / size) * size === outer.first
}
