import * as api from '#contract/api/dns-record.ts'
import { PAGE_LIMIT, type PageQuery } from '#contract/page.ts'
import type { Context } from '#core/access/context.ts'
import type { DnsRecords, NewRecord } from '#core/dns-record/dns-records.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import { type SrvParts, srvValue } from './srv-value.ts'

type RequestedRecord = { readonly [K in keyof NewRecord]?: NewRecord[K] | undefined } & {
  readonly srv?: SrvParts | undefined
}

const request = ({ name, type, value, mxPriority, srv }: RequestedRecord): NewRecord => ({
  name,
  type,
  value: srv === undefined ? value : srvValue(srv),
  mxPriority,
})

export function dnsRecordRoutes(records: DnsRecords): readonly Route[] {
  const create = async (ctx: Context, domain: string, given: RequestedRecord) => ({
    uid: (await records.create(ctx, domain, request(given))).id,
  })
  const list = async (ctx: Context, domain: string, query: Partial<PageQuery>) =>
    current.records(await records.list(ctx, domain, { limit: PAGE_LIMIT.older, ...query }))
  const remove = async (ctx: Context, { domain, recId }: { domain: string; recId: string }) => {
    await records.delete(ctx, domain, recId)
    return undefined
  }

  return [
    route(api.listDnsRecords, (ctx, { params, query }) => list(ctx, params.domain, query)),
    route(api.createDnsRecord, (ctx, { params, body }) => create(ctx, params.domain, body)),
    route(api.getDnsRecord, async (ctx, { params }) =>
      current.located(await records.get(ctx, params.recordId)),
    ),
    route(api.updateDnsRecord, async (ctx, { params, body }) =>
      current.located(await records.update(ctx, params.recordId, request(body))),
    ),
    route(api.deleteDnsRecord, (ctx, { params }) => remove(ctx, params)),
    route(api.earliest.listDnsRecords, (ctx, { params, query }) => list(ctx, params.domain, query)),
    route(api.earliest.createDnsRecord, (ctx, { params, body }) =>
      create(ctx, params.domain, body.data ?? body),
    ),
    route(api.earliest.deleteDnsRecord, (ctx, { params }) => remove(ctx, params)),
  ]
}
