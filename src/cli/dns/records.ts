import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { listDnsRecords } from '#contract/api/dns-record.ts'
import { PAGE_LIMIT } from '#contract/page.ts'

type DnsRecord = Static<typeof listDnsRecords.reply>['records'][number]

/** All records of a domain, which has 1000 at the most, newest first. */
export async function allRecords(api: Client, domain: string): Promise<readonly DnsRecord[]> {
  const found: DnsRecord[] = []
  let until: number | null = null
  do {
    const page: Static<typeof listDnsRecords.reply> = await api.call(listDnsRecords, {
      params: { domain },
      query: { limit: PAGE_LIMIT.max, ...(until === null ? {} : { until }) },
    })
    found.push(...page.records)
    until = page.pagination.next
  } while (until !== null)
  return found
}
