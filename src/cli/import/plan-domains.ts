import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { createDnsRecord, isRecordType } from '#contract/api/dns-record.ts'
import { addDomain, listDomains } from '#contract/api/domain.ts'
import { allRecords } from '../dns/records.ts'
import { alreadyThere, cannot, fresh, type Item } from './item.ts'
import type { Source, SourceRecord } from './source.ts'

/** Domains of the account, and their records. */
export async function planDomains(source: Source, api: Client): Promise<readonly Item[]> {
  const here = new Set(
    await everyPage(
      (query) => api.call(listDomains, { query }),
      (page) => page.domains.map(({ name }) => name),
    ),
  )
  const items: Item[] = []
  for (const { name } of await source.domains()) {
    items.push(
      here.has(name) ? alreadyThere('domain', name) : fresh('domain', name, () => makeDomain(api, name)),
    )
    const known = here.has(name) ? await allRecords(api, name) : []
    for (const record of await source.records(name)) items.push(...planRecord(api, name, record, known))
  }
  return items
}

/** A project that has it may have brought it already. */
async function makeDomain(api: Client, name: string): Promise<void> {
  try {
    await api.call(addDomain, { body: { name } })
  } catch (error) {
    const here = await everyPage(
      (query) => api.call(listDomains, { query }),
      (page) => page.domains,
    )
    if (!here.some((each) => each.name === name)) throw error
  }
}

function planRecord(
  api: Client,
  domain: string,
  record: SourceRecord,
  known: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): readonly Item[] {
  // What the platform makes by itself it makes here as well.
  if (record.creator === 'system') return []
  const value =
    record.type === 'MX' && record.mxPriority !== undefined && !/^\d+ /.test(record.value)
      ? `${record.mxPriority} ${record.value}`
      : record.value
  const shown = `${record.name === '' ? '@' : record.name} ${record.type} ${value} (${domain})`
  if (!isRecordType(record.type))
    return [cannot('record', shown, `${record.type} records are not supported.`)]
  const isThere = known.some(
    (each) => each.name === record.name && each.type === record.type && each.value === value,
  )
  const body = { name: record.name, type: record.type, value }
  return [
    isThere
      ? alreadyThere('record', shown)
      : fresh('record', shown, () => api.call(createDnsRecord, { params: { domain }, body })),
  ]
}
