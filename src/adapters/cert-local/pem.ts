/** DER as PEM, ended by a newline, so that PEMs can be joined to a chain. */
export function toPem(label: 'PRIVATE KEY' | 'CERTIFICATE', der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
