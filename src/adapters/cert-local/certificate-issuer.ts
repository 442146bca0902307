import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import type { LocalIssuer } from './issuer.ts'

/** The local authority as the issuer of certificates. It is opened when it is first needed. */
export function createLocalCertificateIssuer(open: () => Promise<LocalIssuer>): CertificateIssuer {
  let opened: Promise<LocalIssuer> | undefined
  return {
    instant: true,
    checksNames: false,
    async issue(names) {
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      const { cert, key } = await (await opened).issue(names)
      return { cert, key }
    },
  }
}
