import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { listDnsRecords } from '#contract/api/dns-record.ts'

type DnsRecord = Static<typeof listDnsRecords.reply>['records'][number]

/** All records of a domain, which has 1000 at the most, newest first. */
export const allRecords = (api: Client, domain: string): Promise<readonly DnsRecord[]> =>
  everyPage(
    (query) => api.call(listDnsRecords, { params: { domain }, query }),
    (page) => page.records,
  )
