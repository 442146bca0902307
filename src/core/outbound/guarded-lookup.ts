import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** Looks a name up, as `dns.lookup` does for who wants all of its addresses. */
export type LookUpAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

class PrivateAddressError extends Error {
  readonly code = 'EPRIVATE'
}

/**
 * Resolves a name and keeps only the addresses that may be connected to. The connection is made to what was
 * checked, so that a name which changes in between leads nowhere else.
 */
export const guardedLookup =
  (resolve: LookUpAll, allows: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const allowed = addresses.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined)
        return callback(new PrivateAddressError(`${hostname} has no public address`), '')
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
