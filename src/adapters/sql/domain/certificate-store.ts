import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Certificate } from '#core/certificate/certificate.ts'
import type { CertificateContent, CertificateStore } from '#core/certificate/certificate-store.ts'
import { heldNames } from '#core/domain/domain.ts'
import { changedOne } from '../database/changed-one.ts'
import { flag } from '../database/columns.ts'
import { rowsIn, textAt } from '../database/json-rows.ts'
import { fromNewToOld, newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { CertificateTable, Db } from '../tables.ts'

const CERTIFICATE = [
  'certificates.id',
  'certificates.owner_id',
  'certificates.names',
  'certificates.source',
  'certificates.auto_renew',
  'certificates.created_at',
  'certificates.expires_at',
  'certificates.renew_at',
  'certificates.cert',
  'certificates.sealed_key',
] as const

const toCertificate = (row: Omit<Selectable<CertificateTable>, 'digest'>): Certificate => ({
  id: row.id,
  ownerId: row.owner_id,
  names: row.names.split(' '),
  source: row.source,
  autoRenew: row.auto_renew === 1,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  renewAt: row.renew_at,
  cert: row.cert,
  sealedKey: row.sealed_key,
})

const joined = (names: readonly string[]): string => [...names].sort().join(' ')
const digestOf = (names: readonly string[]): string =>
  createHash('sha256').update(joined(names)).digest('hex')

const contentRow = (content: CertificateContent) => ({
  names: joined(content.names),
  digest: digestOf(content.names),
  source: content.source,
  auto_renew: flag(content.autoRenew),
  expires_at: content.expiresAt,
  renew_at: content.renewAt,
  cert: content.cert,
  sealed_key: content.sealedKey,
})

const selectById = prepare<{ ownerId: string; id: string }>()((db, { ownerId, id }) =>
  db.selectFrom('certificates').select(CERTIFICATE).where('id', '=', id).where('owner_id', '=', ownerId),
)
const selectByDigest = prepare<{ ownerId: string; digest: string }>()((db, { ownerId, digest }) =>
  db
    .selectFrom('certificates')
    .select(CERTIFICATE)
    .where('owner_id', '=', ownerId)
    .where('digest', '=', digest),
)
const selectByName = prepare<{ name: string }>()((db, { name }) =>
  db
    .selectFrom('certificate_names')
    .innerJoin('certificates', 'certificates.id', 'certificate_names.certificate_id')
    .select(CERTIFICATE)
    .where('certificate_names.name', '=', name),
)
const selectInDomain = prepare<{ ownerId: string; domain: string }>()((db, { ownerId, domain }) =>
  db
    .selectFrom('certificate_domains')
    .innerJoin('certificates', 'certificates.id', 'certificate_domains.certificate_id')
    .select(CERTIFICATE)
    .where('certificate_domains.domain', '=', domain)
    .where('certificate_domains.owner_id', '=', ownerId),
)
const selectOf = prepare<{ ownerId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('certificates').select(CERTIFICATE).where('owner_id', '=', range.ownerId), range),
)
const selectDue = prepare<{ now: number; limit: number }>()((db, { now, limit }) =>
  db
    .selectFrom('certificates')
    .select(CERTIFICATE)
    .where('renew_at', 'is not', null)
    .where('renew_at', '<=', now)
    .orderBy('renew_at')
    .limit(limit),
)
const insertNames = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .insertInto('certificate_names')
    .columns(['name', 'certificate_id'])
    .expression((eb) =>
      eb.selectFrom(rowsIn(db, rows)).select([textAt(0).as('name'), textAt(1).as('certificate_id')]),
    ),
)
const insertDomains = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .insertInto('certificate_domains')
    .columns(['owner_id', 'domain', 'certificate_id'])
    .expression((eb) =>
      eb
        .selectFrom(rowsIn(db, rows))
        .select([textAt(0).as('owner_id'), textAt(1).as('domain'), textAt(2).as('certificate_id')]),
    ),
)

async function enlist(db: Db, ownerId: string, id: string, names: readonly string[]): Promise<void> {
  const own = [...new Set(names)]
  const domains = [...new Set(own.flatMap(heldNames))]
  await insertNames(db, { rows: JSON.stringify(own.map((name) => [name, id])) })
  await insertDomains(db, { rows: JSON.stringify(domains.map((domain) => [ownerId, domain, id])) })
}

export function createCertificateStore(db: Db): CertificateStore {
  const named = async (name: string) => (await selectByName(db, { name })).map(toCertificate)

  return {
    add: (certificate) =>
      atomically(db, async (tx) => {
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('certificates')
          .values({
            id: certificate.id,
            owner_id: certificate.ownerId,
            created_at: certificate.createdAt,
            ...contentRow(certificate),
          })
          .onConflict((conflict) => conflict.columns(['owner_id', 'digest']).doNothing())
          .executeTakeFirstOrThrow()
        if (numInsertedOrUpdatedRows !== 1n) return false
        await enlist(tx, certificate.ownerId, certificate.id, certificate.names)
        return true
      }),

    replace: (id, by) =>
      atomically(db, async (tx) => {
        let ownerId: string | undefined
        await unlessTaken(tx, async (inner) => {
          const row = await inner
            .updateTable('certificates')
            .set(contentRow(by))
            .where('id', '=', id)
            .returning('owner_id')
            .executeTakeFirst()
          ownerId = row?.owner_id
        })
        if (ownerId === undefined) return false
        await tx.deleteFrom('certificate_names').where('certificate_id', '=', id).execute()
        await tx.deleteFrom('certificate_domains').where('certificate_id', '=', id).execute()
        await enlist(tx, ownerId, id, by.names)
        return true
      }),

    async find(ownerId, id) {
      const [row] = await selectById(db, { ownerId, id })
      return row && toCertificate(row)
    },

    async withNames(ownerId, names) {
      const [row] = await selectByDigest(db, { ownerId, digest: digestOf(names) })
      return row && toCertificate(row)
    },

    async forHost(host) {
      const name = host.toLowerCase()
      const parent = name.slice(name.indexOf('.') + 1)
      const exact = await named(name)
      const wild = name.includes('.') && !name.startsWith('*.') ? await named(`*.${parent}`) : []
      const known = new Set(exact.map(({ id }) => id))
      return [...exact, ...wild.filter(({ id }) => !known.has(id))].sort(fromNewToOld)
    },

    inDomain: async (ownerId, domain) =>
      (await selectInDomain(db, { ownerId, domain })).map(toCertificate).sort(fromNewToOld),

    list: (ownerId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { ownerId, ...range }),
        timeOf: (row) => row.created_at,
        show: toCertificate,
      }),

    toRenew: async (now, limit) => (await selectDue(db, { now, limit })).map(toCertificate),

    async endingBefore(time) {
      const { count } = await db
        .selectFrom('certificates')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('expires_at', '<', time)
        .executeTakeFirstOrThrow()
      return count
    },

    async postpone(id, renewAt) {
      await db
        .updateTable('certificates')
        .set({ renew_at: renewAt })
        .where('id', '=', id)
        .where('renew_at', 'is not', null)
        .execute()
    },

    remove: (ownerId, id) =>
      changedOne(db.deleteFrom('certificates').where('id', '=', id).where('owner_id', '=', ownerId)),
  }
}
