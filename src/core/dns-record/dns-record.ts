import type { RecordType } from '#contract/api/dns-record.ts'

/** What a domain's name, or one under it, answers with in DNS. */
export interface DnsRecord {
  readonly id: string
  readonly domainId: string
  readonly type: RecordType
  /** Under the domain; empty for the domain itself. Lower-case. */
  readonly name: string
  /** In the form of its type: `10 mail.example.com` for MX. */
  readonly value: string
  readonly slug: string
  readonly creatorId: string
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** Seconds for which others may keep an answer. */
export const RECORD_TTL = 60
