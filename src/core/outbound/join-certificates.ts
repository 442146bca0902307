/** What a file of authorities may hold for those who read one. */
const BLOCK = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE|X509 CRL)-----[^-]+-----END \1-----/g

/**
 * The certificates of several files as one text, each once. What an operator names is often all that the machine trusts
 * anyway, and a program that speaks TLS reads every one of them when it starts.
 */
export function joinCertificates(texts: readonly string[]): string {
  const blocks = new Map<string, string>()
  for (const text of texts)
    for (const [block] of text.matchAll(BLOCK)) {
      const content = block.replaceAll(/\s/g, '')
      if (!blocks.has(content)) blocks.set(content, `${block}\n`)
    }
  return [...blocks.values()].join('')
}
