import type { DnsRecord } from './dns-record.ts'

export interface DnsRecordStore {
  add(record: DnsRecord): Promise<void>
  find(domainId: string, id: string): Promise<DnsRecord | undefined>
  /** All of them, oldest first; their number is limited when they are added. */
  list(domainId: string): Promise<readonly DnsRecord[]>
  remove(domainId: string, id: string): Promise<boolean>
}
