import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { IsoTime } from './shared.ts'

const Certificate = Type.Object({
  uid: Type.String(),
  cns: Type.Array(Type.String()),
  created: IsoTime,
  expiration: IsoTime,
  autoRenew: Type.Boolean(),
})

const Names = Type.Array(Type.String({ description: 'A host name, or `*.` and a domain.' }), {
  minItems: 1,
  maxItems: 100,
})

const Pem = (description: string) => Type.String({ minLength: 1, maxLength: 100_000, description })

const IssueBody = Type.Object({
  domains: Names,
  renew: Type.Optional(
    Type.Boolean({ description: 'Issue a new certificate even if the current one is still valid.' }),
  ),
})

const UploadBody = Type.Object({
  ca: Pem('The intermediate certificates, in PEM format.'),
  cert: Pem('The certificate, in PEM format.'),
  key: Pem('Its private key, unencrypted and in PEM format; RSA or ECDSA.'),
})

const Stored = Type.Object({ uid: Type.String(), created_at: IsoTime })

export const listCertificates = endpoint({
  access: needs('domain'),
  on: 'GET /v3/platform/certs',
  summary: 'List the certificates of the account',
  query: Type.Object(pageQuery),
  reply: Type.Object({ certs: Type.Array(Certificate), pagination: PaginationSchema }),
})

export const getCertificate = endpoint({
  access: needs('domain'),
  on: 'GET /v3/platform/certs/:id',
  summary: 'Get a certificate, without its key',
  reply: Certificate,
})

export const issueCertificate = endpoint({
  access: needs('domain'),
  on: 'POST /v3/platform/certs',
  summary: 'Issue a certificate for names in verified domains, or get the existing one',
  limit: 'issue-cert',
  body: IssueBody,
  reply: Stored,
})

export const uploadCertificate = endpoint({
  access: needs('domain'),
  on: 'PUT /v3/platform/certs',
  summary: 'Upload a certificate, replacing the one for the same names',
  body: UploadBody,
  reply: Stored,
})

export const deleteCertificate = endpoint({
  access: needs('domain'),
  on: 'DELETE /v3/platform/certs/:id',
  summary: 'Delete a certificate; hosts that it served get a new one automatically',
  reply: 'empty',
})

const Entry = Type.Object({
  uid: Type.String(),
  cn: Type.String(),
  created: IsoTime,
  expiration: IsoTime,
  autoRenew: Type.Boolean(),
})

/** The earliest paths know a certificate by one of its names. */
export const earliest = {
  listCertificates: endpoint({
    ...listCertificates,
    gen: 'earliest',
    on: 'GET /platform/certs',
    reply: Type.Object({ certs: Type.Array(Entry), pagination: PaginationSchema }),
  }),
  getCertificates: endpoint({
    ...getCertificate,
    gen: 'earliest',
    on: 'GET /platform/certs/:cn',
    summary: 'List the certificates that include a name',
    reply: Type.Object({ certs: Type.Array(Entry) }),
  }),
  issueCertificate: endpoint({ ...issueCertificate, gen: 'earliest', on: 'POST /platform/certs' }),
  uploadCertificate: endpoint({
    ...uploadCertificate,
    gen: 'earliest',
    on: 'PUT /platform/certs',
    body: Type.Object({ ...UploadBody.properties, domains: Names }),
  }),
  deleteCertificate: endpoint({ ...deleteCertificate, gen: 'earliest', on: 'DELETE /platform/certs/:cn' }),
}
