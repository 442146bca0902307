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
    description: '`provider.world` when our nameservers answer for the domain, else `external`.',
  }),
  nsVerifiedAt: Nullable(Time),
  txtVerifiedAt: Nullable(Time),
  cdnEnabled: Type.Boolean(),
  createdAt: Time,
  expiresAt: Nullable(Time),
  boughtAt: Nullable(Time),
  transferStartedAt: Nullable(Time),
  transferredAt: Nullable(Time),
  verificationRecord: Type.String({ description: 'What a TXT record on `_platform.<name>` has to hold.' }),
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

const Name = Type.Optional(Type.String({ maxLength: 1024, description: 'The domain, in whatever script.' }))

const row = { gen: 'current', access: needs('domain') } as const

export const listDomains = endpoint({
  ...row,
  on: 'GET /v4/domains',
  summary: 'List the domains of the account',
  limit: 'read',
  query: Type.Object(pageQuery),
  reply: Type.Object({ domains: Type.Array(Domain), pagination: PaginationSchema }),
})

export const addDomain = endpoint({
  ...row,
  on: 'POST /v4/domains',
  summary: 'Add a domain, look again for the proof of one that waits for it, or begin to transfer one in',
  limit: 'write',
  body: Type.Object({
    name: Name,
    method: Type.Optional(Type.Enum(['add', 'transfer-in'])),
    authCode: Type.Optional(
      Type.String({ maxLength: 256, description: 'Of the present registrar, for a transfer.' }),
    ),
    expectedPrice: Type.Optional(
      Type.Number({ description: 'What a transfer costs, as it was agreed: a year of renewal.' }),
    ),
  }),
  reply: Type.Object({ domain: Domain }),
})

export const verifyDomain = endpoint({
  ...row,
  on: 'POST /v4/domains/:name/verify',
  summary: 'Look for the nameservers or the TXT record that show whose the domain is',
  limit: 'write',
  reply: Type.Object({ domain: SingleDomain }),
})

export const getDomain = endpoint({
  ...row,
  on: 'GET /v4/domains/:name',
  summary: 'Get a domain, or the one of the account that the name is in',
  limit: 'read',
  reply: Type.Object({ domain: SingleDomain }),
})

export const deleteDomain = endpoint({
  ...row,
  on: 'DELETE /v4/domains/:name',
  summary: 'Delete a domain that no aliases and no certificates need',
  limit: 'delete-domain',
  reply: Uid,
})

export const CHECK_STATUSES = ['ok', 'missing', 'wrong', 'unknown'] as const

export const inspectDomain = endpoint({
  ...row,
  on: 'GET /v1/domains/:name/inspect',
  summary: 'Compare what DNS says of a domain with what it should say',
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
    ...row,
    gen: 'legacy',
    on: 'POST /v2/domains',
    summary: 'Add a domain, or look again for the proof of one that waits for it',
    limit: 'write',
    body: Type.Object({ name: Name, serviceType: Type.Optional(Type.Enum(SERVICE_TYPES)) }),
    reply: LegacyAdded,
  }),
  deleteDomain: endpoint({
    ...deleteDomain,
    gen: 'legacy',
    on: 'DELETE /v2/domains/:name',
    summary: 'Delete a domain with its aliases',
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
