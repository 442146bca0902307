import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'

/** A certificate as people upload one: with its chain and its key. */
export async function uploadOf(domain: string): Promise<{ ca: string; cert: string; key: string }> {
  const authority = await makeAuthority()
  const leaf = await makeLeaf(authority, [domain])
  return { ca: authority.cert, cert: leaf.cert, key: leaf.key }
}
