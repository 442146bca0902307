import type { Selectable } from 'kysely'
import type { DnsRecord } from '#core/dns-record/dns-record.ts'
import type { DnsRecordStore } from '#core/dns-record/dns-record-store.ts'
import { countZoneChange } from '../change/zone-changes.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, DnsRecordTable } from '../tables.ts'

const RECORD = [
  'id',
  'domain_id',
  'type',
  'name',
  'value',
  'slug',
  'creator_id',
  'created_at',
  'updated_at',
] as const

const toRecord = (row: Selectable<DnsRecordTable>): DnsRecord => ({
  id: row.id,
  domainId: row.domain_id,
  type: row.type,
  name: row.name,
  value: row.value,
  slug: row.slug,
  creatorId: row.creator_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const selectOwned = prepare<{ ownerId: string; id: string }>()((db, { ownerId, id }) =>
  db
    .selectFrom('dns_records')
    .innerJoin('domains', 'domains.id', 'dns_records.domain_id')
    .select(RECORD.map((column) => `dns_records.${column}` as const))
    .select('domains.name as domain_name')
    .where('dns_records.id', '=', id)
    .where('domains.owner_id', '=', ownerId),
)
const selectOf = prepare<{ domainId: string }>()((db, { domainId }) =>
  db
    .selectFrom('dns_records')
    .select(RECORD)
    .where('domain_id', '=', domainId)
    .orderBy('created_at')
    .orderBy('id'),
)

export function createDnsRecordStore(db: Db): DnsRecordStore {
  return {
    countChange: (zone) => countZoneChange(db, zone),

    async add(record) {
      await db
        .insertInto('dns_records')
        .values({
          id: record.id,
          domain_id: record.domainId,
          type: record.type,
          name: record.name,
          value: record.value,
          slug: record.slug,
          creator_id: record.creatorId,
          created_at: record.createdAt,
          updated_at: record.updatedAt,
        })
        .execute()
    },

    async locate(ownerId, id) {
      const [row] = await selectOwned(db, { ownerId, id })
      return row && { record: toRecord(row), domain: row.domain_name }
    },

    list: async (domainId) => (await selectOf(db, { domainId })).map(toRecord),

    remove: (domainId, id) =>
      changedOne(db.deleteFrom('dns_records').where('id', '=', id).where('domain_id', '=', domainId)),
  }
}
