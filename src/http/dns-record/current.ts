import { mapPage, type Page } from '#contract/page.ts'
import type { DnsRecord } from '#core/dns-record/dns-record.ts'
import type { LocatedRecord } from '#core/dns-record/dns-records.ts'

const record = (r: DnsRecord) => ({
  id: r.id,
  slug: r.slug,
  name: r.name,
  type: r.type,
  value: r.value,
  creator: r.creatorId,
  created: String(r.createdAt),
  updated: r.updatedAt === null ? null : String(r.updatedAt),
})

export const located = ({ domain, ...r }: LocatedRecord) => ({ ...record(r), domain })

export const records = (page: Page<DnsRecord>) => ({
  records: mapPage(page, record),
  pagination: page.pagination,
})
