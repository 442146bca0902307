/** DER as PEM, ended by a newline, so that PEMs can be joined to a chain. */
export function toPem(label: 'CERTIFICATE', der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
