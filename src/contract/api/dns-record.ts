import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs } from '../scopes.ts'
import { Nullable, Uid } from './shared.ts'

/** The types of records that can be added. */
export const RECORD_TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'SRV', 'TXT'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

export const isRecordType = (text: string): text is RecordType => RECORD_TYPES.some((each) => each === text)

/** In this order: acme.sh finds the records that it made by expressions on the text, the name before the type. */
const DnsRecord = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String({ description: 'Relative to the domain; empty for the domain itself.' }),
  type: Type.String(),
  value: Type.String(),
  creator: Type.String({ description: 'The id of a user, or `system`.' }),
  created: Type.String({ description: 'Milliseconds, as text.' }),
  updated: Nullable(Type.String()),
})

const Uint16 = Type.Integer({ minimum: 0, maximum: 65_535 })

/** What is missing has errors of its own, so nothing is required here. */
const NewRecord = Type.Object({
  name: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'Relative to the domain; empty or `@` for the domain itself.',
    }),
  ),
  type: Type.Optional(Type.String({ description: 'A, AAAA, ALIAS, CAA, CNAME, MX, SRV or TXT.' })),
  value: Type.Optional(Type.String({ maxLength: 10_000, description: 'In the format of the record type.' })),
  mxPriority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'For an MX record whose value is only the host.',
    }),
  ),
  srv: Type.Optional(
    Type.Object(
      { priority: Uint16, weight: Uint16, port: Uint16, target: Type.String({ maxLength: 1024 }) },
      { description: 'For an SRV record, instead of its value.' },
    ),
  ),
})

export const listDnsRecords = endpoint({
  access: needs('domain'),
  on: 'GET /v2/domains/:domain/records',
  summary: 'List the DNS records of a domain',
  query: Type.Object(pageQuery),
  reply: Type.Object({ records: Type.Array(DnsRecord), pagination: PaginationSchema }),
})

export const createDnsRecord = endpoint({
  access: needs('domain'),
  on: 'POST /v2/domains/:domain/records',
  summary: 'Add a DNS record to a domain',
  body: NewRecord,
  reply: Uid,
})

export const deleteDnsRecord = endpoint({
  access: needs('domain'),
  on: 'DELETE /v2/domains/:domain/records/:recId',
  summary: 'Delete a DNS record',
  reply: 'empty',
})

/** The earliest form of a new record is inside `data`. */
const Located = Type.Object({
  ...DnsRecord.properties,
  domain: Type.String({ description: 'The domain that the record belongs to.' }),
})

export const getDnsRecord = endpoint({
  access: needs('domain'),
  on: 'GET /v2/domains/records/:recordId',
  summary: 'Get a record by its id',
  reply: Located,
})

export const updateDnsRecord = endpoint({
  access: needs('domain'),
  on: 'PATCH /v2/domains/records/:recordId',
  summary: 'Change a record; omitted properties stay unchanged',
  body: NewRecord,
  reply: Located,
})

export const earliest = {
  listDnsRecords: endpoint({ ...listDnsRecords, gen: 'earliest', on: 'GET /domains/:domain/records' }),
  createDnsRecord: endpoint({
    ...createDnsRecord,
    gen: 'earliest',
    on: 'POST /domains/:domain/records',
    body: Type.Object({ data: Type.Optional(NewRecord), ...NewRecord.properties }),
  }),
  deleteDnsRecord: endpoint({
    ...deleteDnsRecord,
    gen: 'earliest',
    on: 'DELETE /domains/:domain/records/:recId',
  }),
}
