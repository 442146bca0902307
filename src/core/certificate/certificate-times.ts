import { X509Certificate } from 'node:crypto'
import { DAY } from '#contract/time.ts'

interface CertificateTimes {
  readonly expiresAt: number
  /** From when on it is made anew: 30 days before its end, or in the last third of a short life. */
  readonly renewAt: number
}

export function timesOf(cert: string): CertificateTimes {
  const { validFromDate, validToDate } = new X509Certificate(cert)
  const expiresAt = validToDate.getTime()
  const lifetime = expiresAt - validFromDate.getTime()
  return { expiresAt, renewAt: Math.floor(expiresAt - Math.min(30 * DAY, lifetime / 3)) }
}
