import { createHash } from 'node:crypto'
import type { Domain } from '../domain/domain.ts'
import type { DnsRecord } from './dns-record.ts'
import { isAddressType, slugOf } from './record-slug.ts'

/** In the place of a user's id, for records that nobody made. */
const SYSTEM = 'system'

/** What the records of the system lead to. */
export interface SystemTargets {
  readonly aliasHost: string
  /** What CAA records call the authority that issues certificates here; null when nobody knows, and then any may. */
  readonly authority: string | null
}

/** What every domain answers with that we answer for, so that its sites work at once. */
const recordsOf = ({ aliasHost, authority }: SystemTargets) => [
  { type: 'ALIAS' as const, name: '', value: aliasHost },
  { type: 'CNAME' as const, name: '*', value: aliasHost },
  ...(authority === null ? [] : [{ type: 'CAA' as const, name: '', value: `0 issue "${authority}"` }]),
]

/** They are not stored: the id follows from the domain, so that it is the same each time. */
const idOf = (domainId: string, type: string): string =>
  `rec_${createHash('sha256').update(`${domainId} ${type}`).digest('hex').slice(0, 24)}`

export const systemRecords = (
  { id, name: zone, createdAt }: Pick<Domain, 'id' | 'name' | 'createdAt'>,
  targets: SystemTargets,
): readonly DnsRecord[] =>
  recordsOf(targets).map(({ type, name, value }) => {
    const recordId = idOf(id, type)
    return {
      id: recordId,
      domainId: id,
      type,
      name,
      value,
      slug: slugOf({ type, name }, zone, recordId.slice(4, 10)),
      creatorId: SYSTEM,
      createdAt,
      updatedAt: null,
    }
  })

type NameAndType = Pick<DnsRecord, 'name' | 'type'>

/** A user's record of the same name and type takes the place of the system's in the list. */
export const isReplaced = (system: NameAndType, records: readonly NameAndType[]): boolean =>
  records.some(({ name, type }) => name === system.name && type === system.type)

/**
 * Whether a user's records leave room for the system's in an answer: an address that a user has given is the
 * only one, and an alias for a whole name has nothing beside it.
 */
export const isShadowed = (system: NameAndType, records: readonly NameAndType[]): boolean =>
  records.some(
    ({ name, type }) =>
      name === system.name &&
      (type === system.type ||
        system.type === 'CNAME' ||
        (isAddressType(system.type) && isAddressType(type))),
  )
