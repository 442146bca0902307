import { BlockList, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { broadcastOf } from './ipv4-range.ts'

/** An address may come or go while we run; asking each time would cost more than the request. */
const KNOWN_MS = 5000

/** The addresses that this machine has at the moment, and those at which it hears all that is said in its networks. */
export const addressesOfMachine = (interfaces = networkInterfaces()): readonly string[] =>
  Object.values(interfaces).flatMap((all) =>
    (all ?? []).flatMap(({ address, cidr }) => [address, broadcastOf(cidr ?? '') ?? []].flat()),
  )

export interface OwnAddressOptions {
  /** The addresses of this machine. */
  readonly ownAddresses?: (() => readonly string[]) | undefined
  readonly now?: (() => number) | undefined
}

/** Whether an address is this machine's own, public ones too, in any of their forms. */
export function createIsOwn({
  ownAddresses = () => addressesOfMachine(),
  now = () => performance.now(),
}: OwnAddressOptions = {}): (address: string) => boolean {
  let known: { readonly list: BlockList; readonly at: number } | undefined
  return (address) => {
    if (known === undefined || now() - known.at > KNOWN_MS) {
      const list = new BlockList()
      for (const own of ownAddresses())
        list.addAddress(own.replace(/%.*$/, ''), isIPv4(own) ? 'ipv4' : 'ipv6')
      known = { list, at: now() }
    }
    return known.list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}
