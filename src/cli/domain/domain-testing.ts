import type { Static } from 'typebox'
import type { Domain } from '#contract/api/domain.ts'

/** A domain as the API answers it, that waits for its proof. */
export const sampleDomain: Static<typeof Domain> = {
  id: 'dom_1',
  name: 'example.com',
  serviceType: 'external',
  nsVerifiedAt: null,
  txtVerifiedAt: null,
  cdnEnabled: false,
  createdAt: 1_700_000_000_000,
  expiresAt: null,
  boughtAt: null,
  transferStartedAt: null,
  transferredAt: null,
  verificationRecord: 'proof',
  verifiedRecord: 'proof',
  verified: false,
  nameservers: [],
  intendedNameservers: ['ns1.aloft.test', 'ns2.aloft.test'],
  creator: { id: 'u1', username: 'jo', email: 'jo@example.com' },
}
