import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { IsoTime, Nullable, Time, Uid } from './shared.ts'

export const SERVICE_TYPES = ['external', 'provider.world'] as const

const Names = Type.Array(Type.String())

const common = {
  id: Type.String(),
  name: Type.String({ description: 'In punycode.' }),
  serviceType: Type.Enum(SERVICE_TYPES, {
    description: '`provider.world` if the domain uses our nameservers, otherwise `external`.',
  }),
  nsVerifiedAt: Nullable(Time),
  txtVerifiedAt: Nullable(Time),
  cdnEnabled: Type.Boolean(),
  createdAt: Time,
  expiresAt: Nullable(Time),
  boughtAt: Nullable(Time),
  transferStartedAt: Nullable(Time),
  transferredAt: Nullable(Time),
  verificationRecord: Type.String({
    description: 'The value of the TXT record on `_platform.<name>` that verifies the domain.',
  }),
  verifiedRecord: Type.String({ description: 'The same as `verificationRecord`.' }),
  verified: Type.Boolean(),
  nameservers: Names,
  intendedNameservers: Names,
  creator: Type.Object({ id: Type.String(), username: Type.String(), email: Type.String() }),
}

export const Domain = Type.Object(common)

const SingleDomain = Type.Object({
  ...common,
  suffix: Type.Boolean(),
  aliases: Type.Array(Type.Object({ uid: Type.String(), alias: Type.String(), created: IsoTime })),
  certs: Type.Array(
    Type.Object({
      uid: Type.String(),
      cns: Names,
      created: IsoTime,
      expiration: IsoTime,
      autoRenew: Type.Boolean(),
    }),
  ),
})

const Name = Type.Optional(
  Type.String({ maxLength: 1024, description: 'The domain, in Unicode or punycode.' }),
)

export const listDomains = endpoint({
  access: needs('domain'),
  on: 'GET /v4/domains',
  summary: 'List the domains of the account',
  query: Type.Object(pageQuery),
  reply: Type.Object({ domains: Type.Array(Domain), pagination: PaginationSchema }),
})

export const addDomain = endpoint({
  access: needs('domain'),
  on: 'POST /v4/domains',
  summary: 'Add a domain, verify a pending one again, or start to transfer one in',
  body: Type.Object({
    name: Name,
    method: Type.Optional(Type.Enum(['add', 'transfer-in'])),
    authCode: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'The authorization code of the current registrar, for a transfer.',
      }),
    ),
    expectedPrice: Type.Optional(
      Type.Number({ description: 'The confirmed price of a transfer: one year of renewal.' }),
    ),
  }),
  reply: Type.Object({ domain: Domain }),
})

export const verifyDomain = endpoint({
  access: needs('domain'),
  on: 'POST /v4/domains/:name/verify',
  summary: 'Verify a domain by its nameservers or TXT record',
  reply: Type.Object({ domain: SingleDomain }),
})

export const getDomain = endpoint({
  access: needs('domain'),
  on: 'GET /v4/domains/:name',
  summary: 'Get a domain, or the domain of the account that a subdomain belongs to',
  reply: Type.Object({ domain: SingleDomain }),
})

export const deleteDomain = endpoint({
  access: needs('domain'),
  on: 'DELETE /v4/domains/:name',
  summary: 'Delete a domain that no aliases or certificates use',
  limit: 'delete-domain',
  reply: Uid,
})

export const CHECK_STATUSES = ['ok', 'missing', 'wrong', 'unknown'] as const

export const inspectDomain = endpoint({
  access: needs('domain'),
  on: 'GET /v1/domains/:name/inspect',
  summary: 'Check the DNS records of a domain',
  limit: 'write',
  reply: Type.Object({
    name: Type.String(),
    serviceType: Type.Enum(SERVICE_TYPES),
    verified: Type.Boolean(),
    checks: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(CHECK_STATUSES),
        found: Names,
        expected: Names,
        advice: Type.String(),
      }),
    ),
    nextStep: Type.String(),
  }),
})

const LegacyAdded = Type.Object({
  uid: Type.String(),
  verified: Type.Boolean(),
  verifyToken: Type.Optional(Type.String()),
  created: IsoTime,
})

export const legacy = {
  listDomains: endpoint({
    ...listDomains,
    gen: 'legacy',
    on: 'GET /v2/domains',
    reply: Type.Object({
      domains: Type.Array(
        Type.Object({
          uid: Type.String(),
          name: Type.String(),
          created: IsoTime,
          createdAt: IsoTime,
          boughtAt: Nullable(Time),
          expiresAt: Nullable(Time),
          isExternal: Type.Boolean(),
          verified: Type.Boolean(),
          aliases: Names,
          certs: Names,
        }),
      ),
      pagination: PaginationSchema,
    }),
  }),
  addDomain: endpoint({
    access: needs('domain'),
    gen: 'legacy',
    on: 'POST /v2/domains',
    summary: 'Add a domain, or verify a pending one again',
    body: Type.Object({ name: Name, serviceType: Type.Optional(Type.Enum(SERVICE_TYPES)) }),
    reply: LegacyAdded,
  }),
  deleteDomain: endpoint({
    ...deleteDomain,
    gen: 'legacy',
    on: 'DELETE /v2/domains/:name',
    summary: 'Delete a domain and its aliases',
  }),
}

export const earliest = {
  listDomains: endpoint({
    ...listDomains,
    gen: 'earliest',
    on: 'GET /domains',
    reply: Type.Object({
      domains: Type.Array(
        Type.Object({
          uid: Type.String(),
          created: IsoTime,
          isExternal: Type.Boolean(),
          name: Type.String(),
          aliases: Names,
        }),
      ),
      pagination: PaginationSchema,
    }),
  }),
  addDomain: endpoint({
    ...legacy.addDomain,
    gen: 'earliest',
    on: 'POST /domains',
    body: Type.Object({ name: Name, isExternal: Type.Optional(Type.Boolean()) }),
  }),
  deleteDomain: endpoint({ ...legacy.deleteDomain, gen: 'earliest', on: 'DELETE /domains/:name' }),
}
