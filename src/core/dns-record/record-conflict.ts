import { isIPv6 } from 'node:net'
import type { DnsRecord } from './dns-record.ts'

/** Two spellings of an address are one value. */
const comparable = (value: string): string => (isIPv6(value) ? new URL(`http://[${value}]`).hostname : value)

/** The record that keeps another from being added: the same one, or an alias that stands alone at its name. */
export const conflictingRecord = (
  added: Pick<DnsRecord, 'name' | 'type' | 'value'>,
  records: readonly DnsRecord[],
): DnsRecord | undefined => {
  const beside = records.filter(({ name }) => name === added.name)
  const same = beside.find(
    ({ type, value }) => type === added.type && comparable(value) === comparable(added.value),
  )
  return same ?? (added.type === 'CNAME' ? beside[0] : beside.find(({ type }) => type === 'CNAME'))
}
