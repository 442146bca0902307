import { randomBytes } from 'node:crypto'
import { isRecordType, RECORD_TYPES } from '#contract/api/dns-record.ts'
import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { ownedDomain } from '../domain/absent-domain.ts'
import { type Domain, serviceTypeOf } from '../domain/domain.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import { pageOf } from '../page-of.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { DnsRecord } from './dns-record.ts'
import type { DnsRecordStore } from './dns-record-store.ts'
import { conflictingRecord } from './record-conflict.ts'
import { readRecordName } from './record-name.ts'
import { fullName, slugOf } from './record-slug.ts'
import { checkTarget, readRecordValue } from './record-value.ts'
import { isReplaced, type SystemTargets, systemRecords } from './system-records.ts'

/** What a request asks for, as far as it says it. */
export interface NewRecord {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly value: string | undefined
  /** Of an MX record, where the value holds the host alone. */
  readonly mxPriority?: number | undefined
}

export interface LocatedRecord extends DnsRecord {
  /** The name of the domain that it is a record of. */
  readonly domain: string
}

export interface DnsRecords {
  /** Newest first, the system's at the end. */
  list(ctx: Context, domain: string, page: PageQuery): Promise<Page<DnsRecord>>
  get(ctx: Context, id: string): Promise<LocatedRecord>
  create(ctx: Context, domain: string, request: NewRecord): Promise<DnsRecord>
  /** What the change does not name stays as it was. */
  update(ctx: Context, id: string, change: Partial<NewRecord>): Promise<LocatedRecord>
  delete(ctx: Context, domain: string, id: string): Promise<void>
}

interface RecordStores {
  readonly dnsRecords: DnsRecordStore
  readonly domains: Pick<DomainStore, 'find' | 'verifiedCovering'>
}

interface DnsRecordParts extends SystemTargets, Pick<RecordStores, 'domains'> {
  readonly store: DnsRecordStore
  readonly transact: Transact<RecordStores>
  readonly clock: Clock
  readonly nameservers: readonly string[]
  readonly onZonesChanged: (zones: readonly string[]) => void
}

const MAX_RECORDS = 1000
/** Of all values of one name and type, which are one answer: it has to fit into a message of 65,535 bytes. */
const MAX_SET_BYTES = 48 * 1024
/** What comes with each value in the answer, at most. */
const BESIDE_BYTES = 32

const bytesOf = (records: readonly Pick<DnsRecord, 'value'>[]): number =>
  records.reduce((sum, { value }) => sum + Buffer.byteLength(value) + BESIDE_BYTES, 0)

/** What can be said without knowing the domain. */
function readRecord({ name, type, value, mxPriority }: NewRecord) {
  if (name === undefined) throw new AloftError('missing_name', 'The `name` of the record is missing.')
  if (type === undefined || type === '')
    throw new AloftError('missing_type', 'The `type` of the record is missing.')
  if (!isRecordType(type))
    throw new AloftError(
      'invalid_type',
      `The record type \`${type.slice(0, 50)}\` is not supported. Use one of ${RECORD_TYPES.join(', ')}.`,
    )
  if (value === undefined) throw invalidRequest('missing required property `value`')
  const whole = type === 'MX' && mxPriority !== undefined ? `${mxPriority} ${value}` : value
  return { name, type, value: readRecordValue(type, whole) }
}

/** What a change leaves as it was; of a mail server that may be its priority alone, or its host alone. */
function stillSaid({ name, type, value }: DnsRecord, change: Partial<NewRecord>): NewRecord {
  const isApart =
    change.mxPriority !== undefined || (change.value !== undefined && !/\s/.test(change.value.trim()))
  if (type !== 'MX' || (change.type ?? type) !== 'MX' || !isApart) return { name, type, value }
  const [priority, host] = value.split(' ')
  return { name, type, value: host, mxPriority: Number(priority) }
}

export function createDnsRecords(parts: DnsRecordParts): DnsRecords {
  const { store, transact, clock, nameservers } = parts

  /** The domain, while nobody else changes its zone: whoever did so before may have deleted it. */
  async function findHeldDomain(
    { domains, dnsRecords }: RecordStores,
    ctx: Context,
    text: string,
  ): Promise<Domain> {
    await dnsRecords.countChange((await ownedDomain(domains, ctx.owner.id, text)).name)
    return ownedDomain(domains, ctx.owner.id, text)
  }

  const systemRecordsOf = (domain: Domain): readonly DnsRecord[] =>
    serviceTypeOf(domain, nameservers) === 'provider.world' ? systemRecords(domain, parts) : []

  async function located(records: DnsRecordStore, { owner }: Context, id: string) {
    const found = await records.locate(owner.id, id)
    if (!found) throw noSuch('record', id)
    return found
  }

  /** A new record, or another one in the place of the one that was there before. */
  async function put(
    dnsRecords: DnsRecordStore,
    ctx: Context,
    domain: Domain,
    request: NewRecord,
    before?: DnsRecord,
  ): Promise<{ record: DnsRecord; zone: string }> {
    const { name: label, type, value } = readRecord(request)
    const zone = domain.name
    const name = readRecordName(label, zone)
    checkTarget(type, value, fullName(name, zone))
    const records = (await dnsRecords.list(domain.id)).filter(({ id }) => id !== before?.id)
    const old = conflictingRecord({ name, type, value }, records)
    if (old)
      throw new AloftError(
        'record_conflict',
        `The ${old.type} record at \`${fullName(name, zone)}\` conflicts with this one.`,
        { oldId: old.id },
      )
    if (records.length >= MAX_RECORDS)
      throw new AloftError('bad_request', `A domain has at most ${MAX_RECORDS} records.`)
    const beside = records.filter((record) => record.name === name && record.type === type)
    if (bytesOf([...beside, { value }]) > MAX_SET_BYTES)
      throw new AloftError(
        'bad_request',
        `The ${type} records at \`${fullName(name, zone)}\` don’t fit into one DNS response.`,
      )
    const now = clock.now()
    const record: DnsRecord = {
      id: before?.id ?? newId.dnsRecord(),
      domainId: domain.id,
      type,
      name,
      value,
      slug: slugOf({ type, name }, zone, randomBytes(3).toString('hex')),
      creatorId: before?.creatorId ?? ctx.actor.user.id,
      createdAt: before?.createdAt ?? now,
      updatedAt: before === undefined ? null : now,
    }
    if (before) await dnsRecords.remove(domain.id, before.id)
    await dnsRecords.add(record)
    return { record, zone }
  }

  return {
    async list(ctx, text, page) {
      const domain = await ownedDomain(parts.domains, ctx.owner.id, text)
      const records = await store.list(domain.id)
      const system = systemRecordsOf(domain).filter((record) => !isReplaced(record, records))
      return pageOf([...records.toReversed(), ...system], page)
    },

    async get(ctx, id) {
      const { record, domain } = await located(store, ctx, id)
      return { ...record, domain }
    },

    async create(ctx, text, request) {
      const { record, zone } = await transact(async (stores) =>
        put(stores.dnsRecords, ctx, await findHeldDomain(stores, ctx, text), request),
      )
      parts.onZonesChanged([zone])
      return record
    },

    async update(ctx, id, change) {
      const { record, zone } = await transact(async (stores) => {
        const { dnsRecords } = stores
        const domain = await findHeldDomain(stores, ctx, (await located(dnsRecords, ctx, id)).domain)
        const { record: before } = await located(dnsRecords, ctx, id)
        const given = Object.fromEntries(Object.entries(change).filter(([, it]) => it !== undefined))
        return put(dnsRecords, ctx, domain, { ...stillSaid(before, change), ...given }, before)
      })
      parts.onZonesChanged([zone])
      return { ...record, domain: zone }
    },

    async delete(ctx, text, id) {
      const zone = await transact(async ({ domains, dnsRecords }) => {
        const domain = await ownedDomain(domains, ctx.owner.id, text)
        if (systemRecordsOf(domain).some((record) => record.id === id))
          throw new AloftError(
            'forbidden',
            'System records can’t be deleted. A record of yours with the same name and type takes precedence.',
          )
        await findHeldDomain({ domains, dnsRecords }, ctx, text)
        if (!(await dnsRecords.remove(domain.id, id))) throw noSuch('record', id)
        return domain.name
      })
      parts.onZonesChanged([zone])
    },
  }
}
