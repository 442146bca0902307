import type { RecordType } from '#contract/api/dns-record.ts'
import type { DnsRecord } from './dns-record.ts'

const ADDRESS_TYPES: readonly RecordType[] = ['A', 'AAAA', 'ALIAS', 'CNAME']

/** Whether a record of the type says where a name leads to. */
export const isAddressType = (type: RecordType): boolean => ADDRESS_TYPES.includes(type)

/** The whole name of a record: `www` of `example.com` is `www.example.com`. */
export const fullName = (name: string, zone: string): string => (name === '' ? zone : `${name}.${zone}`)

export const slugOf = (
  { name, type }: Pick<DnsRecord, 'name' | 'type'>,
  zone: string,
  hex: string,
): string =>
  isAddressType(type) ? `${fullName(name, zone)}.-address` : `${name}-${type.toLowerCase()}-${hex}`
