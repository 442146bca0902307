/** A certificate and its key, for the names of one account. */
export interface Certificate {
  readonly id: string
  readonly ownerId: string
  /** Lower-case and sorted; `*.example.com` for a wildcard. */
  readonly names: readonly string[]
  /** `automatic` ones are made for hosts as they come; the others because somebody asked. */
  readonly source: 'issued' | 'automatic' | 'uploaded'
  readonly autoRenew: boolean
  readonly createdAt: number
  readonly expiresAt: number
  /** When it is made anew by itself, if ever; later than meant once that has failed. */
  readonly renewAt: number | null
  /** The certificate, followed by those between it and its authority. */
  readonly cert: string
  /** The private key, sealed. Nothing returns it. */
  readonly sealedKey: string
}

/** What the key is sealed for: put beside another certificate, it does not open. */
export const keyPurpose = (certificateId: string): string => `certificate-key ${certificateId}`

/** The message is a host name whose certificate came, changed or went, or `*` for all of them. */
export const CERTIFICATES_TOPIC = 'certificates'
