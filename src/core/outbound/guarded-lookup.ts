import type { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

class PrivateAddressError extends Error {
  readonly code = 'EPRIVATE'
}

/**
 * Resolves a name and keeps only the addresses that may be connected to. The connection is made to what was
 * checked, so that a name which changes in between leads nowhere else.
 */
export const guardedLookup =
  (resolve: typeof lookup, allows: (address: string) => boolean): LookupFunction =>
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
