import { createRequire } from 'node:module'

type X509 = typeof import('@peculiar/x509')

type Lookup = (key: unknown, target: unknown) => unknown

let loaded: X509 | undefined

/**
 * The certificate library, loaded when the first certificate is made: most serving processes
 * live long before that, and many never need it.
 *
 * Its dependency-injection container refuses to load unless `Reflect.getMetadata` exists, though none of
 * the library's own classes has metadata to look up. So two look-ups that find nothing stand in while it
 * loads. The load is synchronous and they are taken away after it: no other code sees a changed global.
 */
export function x509(): X509 {
  if (loaded) return loaded
  const require = createRequire(import.meta.url)
  const reflect = Reflect as { getMetadata?: Lookup; getOwnMetadata?: Lookup }
  if (reflect.getMetadata) {
    loaded = require('@peculiar/x509') as X509
    return loaded
  }
  reflect.getMetadata = () => undefined
  reflect.getOwnMetadata = () => undefined
  try {
    loaded = require('@peculiar/x509') as X509
    return loaded
  } finally {
    delete reflect.getMetadata
    delete reflect.getOwnMetadata
  }
}
