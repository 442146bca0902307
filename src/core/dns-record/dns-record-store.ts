import type { DnsRecord } from './dns-record.ts'

export interface DnsRecordStore {
  /**
   * Counts a change of what a name answers with, before it is made. Until the transaction ends nobody else
   * changes the records of the name.
   */
  countChange(zone: string): Promise<void>
  add(record: DnsRecord): Promise<void>
  /** Of whichever domain of an account, with the name of that. */
  locate(
    ownerId: string,
    id: string,
  ): Promise<{ readonly record: DnsRecord; readonly domain: string } | undefined>
  /** All of them, oldest first; their number is limited when they are added. */
  list(domainId: string): Promise<readonly DnsRecord[]>
  remove(domainId: string, id: string): Promise<boolean>
}
