import * as alias from '#contract/api/alias.ts'
import * as certs from '#contract/api/certificate.ts'
import * as records from '#contract/api/dns-record.ts'
import * as api from '#contract/api/domain.ts'
import { getProjectDomain, inspectProjectDomain } from '#contract/api/project-domain.ts'
import * as registrar from '#contract/api/registrar.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { srvValue } from '../dns-record/srv-value.ts'
import type { CompatContext, CompatRequest, CompatRow, PartialRequest } from './row.ts'

type Domain = ReplyOf<(typeof api.listDomains)['reply']>['domains'][number]
type Inspection = ReplyOf<(typeof api.inspectDomain)['reply']>
type DnsRecord = ReplyOf<(typeof records.listDnsRecords)['reply']>['records'][number]
type Certificate = ReplyOf<(typeof certs.getCertificate)['reply']>
type Alias = ReplyOf<(typeof alias.getAlias)['reply']>

/** Other clients know two kinds of DNS: the platform's, and everybody else's. */
const serviceType = (type: Domain['serviceType']) => (type === 'provider.world' ? 'zeit.world' : type)

const showDomain = ({ transferStartedAt, ...d }: Domain) => ({
  ...d,
  ...(transferStartedAt === null ? {} : { transferStartedAt }),
  echMode: 'disabled',
  serviceType: serviceType(d.serviceType),
  customNameservers: [],
  renew: d.boughtAt !== null,
  userId: d.creator.id,
  teamId: null,
  creator: { ...d.creator, customerId: null },
})

const showDomains = ({ domains, pagination }: { domains: Domain[]; pagination: unknown }) => ({
  domains: domains.map(showDomain),
  pagination,
})

const showOne = ({ domain }: { domain: Domain }) => ({ domain: showDomain(domain) })

const showBought = async (_made: unknown, { call, asked }: CompatContext) => {
  const { domain } = await call(api.getDomain, { params: { name: String(asked.body?.name) } })
  return {
    domain: {
      uid: domain.id,
      name: domain.name,
      ns: [...domain.nameservers],
      verified: domain.verified,
      created: domain.createdAt,
      pending: false,
    },
  }
}

/** Later versions also send the contact of the owner, which the registrar has from its account, and a number of years. */
const readOrder = ({ params, body }: CompatRequest): PartialRequest => {
  const years: unknown = body?.years ?? 1
  if (years !== 1) throw invalidRequest('domains are bought for one year. Send `years: 1`')
  return { body: { name: params.name, expectedPrice: body?.expectedPrice } }
}

/** Whatever was ordered is bought by the time of the answer: what is left to look at is the domain. */
const showOrder = async (_made: unknown, { call, asked }: CompatContext) => {
  const { domain } = await call(api.getDomain, { params: { name: asked.params.name ?? '' } })
  return {
    orderId: domain.id,
    _links: { domain: { href: `/v5/domains/${domain.name}`, method: 'GET' } },
  }
}

/** Later versions ask for all prices at once. */
async function prices({ call, asked }: CompatContext) {
  const ask = (type: string) => call(registrar.getDomainPrice, { query: { name: asked.params.name, type } })
  const [bought, renewed, transferred] = await Promise.all(['new', 'renewal', 'transfer'].map(ask))
  return {
    years: bought?.period,
    purchasePrice: bought?.price,
    renewalPrice: renewed?.price,
    transferPrice: transferred?.price,
  }
}

/** The values of records of a type: `A 192.0.2.1` → `192.0.2.1`. */
const valuesOf = (records: readonly string[], type: string): readonly string[] =>
  records.filter((record) => record.startsWith(`${type} `)).map((record) => record.slice(type.length + 1))

/**
 * Who sells sites lets the domains of their customers lead to a project, without having them in the account: what DNS says
 * of such a name itself is told then.
 */
async function config({ call, asked, findProjectDomain }: CompatContext) {
  const { name = '' } = asked.params
  const shown = await findProjectDomain(name)
  // The account may have the name, one above it, or none; it may be somebody else's.
  const held = shown && (await call(api.getDomain, { params: { name } }).catch(() => undefined))
  if (shown === undefined || held?.domain.name === shown.name)
    return showConfig(await call(api.inspectDomain, { params: { name } }))
  const params = { idOrName: shown.projectId, domain: shown.name }
  const { serviceType = 'external' } = held?.domain ?? {}
  return showConfig({ ...(await call(inspectProjectDomain, { params })), serviceType })
}

/** How a domain is set up, from what DNS says of it. */
const showConfig = (it: Pick<Inspection, 'verified' | 'serviceType' | 'checks'>) => {
  const isOurs = it.serviceType === 'provider.world'
  const statusOf = (id: string) => it.checks.find((check) => check.id === id)?.status
  const found = it.checks.find(({ id }) => id === 'address')?.found ?? []
  const expected = it.checks
    .filter(({ id }) => id === 'address' || id === 'www')
    .flatMap((check) => check.expected)
  const [cnames, addresses, targets] = [
    valuesOf(found, 'CNAME'),
    valuesOf(expected, 'A'),
    [...new Set(valuesOf(expected, 'CNAME'))],
  ]
  const leadsHere = statusOf('address') === 'ok'
  // Other nameservers, and nothing at `www`, are as good where others answer for the domain.
  const needed = ['address', 'caa', ...(isOurs ? ['nameservers'] : [])].map(statusOf)
  return {
    configuredBy: !it.verified
      ? null
      : isOurs
        ? 'dns-01'
        : leadsHere
          ? cnames.length > 0
            ? 'CNAME'
            : 'A'
          : null,
    nameservers: [...(it.checks.find(({ id }) => id === 'nameservers')?.found ?? [])],
    serviceType: serviceType(it.serviceType),
    cnames,
    aValues: valuesOf(found, 'A'),
    conflicts: [],
    acceptedChallenges: isOurs ? ['dns-01', 'http-01'] : ['http-01'],
    ipStatus: null,
    recommendedIPv4: addresses.length === 0 ? [] : [{ rank: 1, value: addresses }],
    recommendedCNAME: targets.map((value) => ({ rank: 1, value })),
    misconfigured: !it.verified || needed.some((status) => status === 'missing' || status === 'wrong'),
  }
}

/** The names of a domain that lead to projects. */
async function projectDomains({ call, asked }: CompatContext) {
  const { name = '' } = asked.params
  const { aliases } = await call(alias.listAliases, { query: { domain: name, limit: '100' } })
  const found = await Promise.all(
    aliases.map(({ alias: domain, projectId }) =>
      call(getProjectDomain, { params: { idOrName: projectId, domain } }).catch(() => undefined),
    ),
  )
  const shown = found.filter((each) => each !== undefined)
  return { projectDomains: shown, pagination: { count: shown.length, next: null, prev: null } }
}

/** Without the priority of a mail server, which its value begins with: clients put it before that once more. */
const showRecord = (r: DnsRecord, domain: string) => ({
  ...r,
  domain,
  recordType: r.type,
  ttl: TTL,
  created: Number(r.created),
  createdAt: Number(r.created),
  updated: r.updated === null ? Number(r.created) : Number(r.updated),
  updatedAt: r.updated === null ? Number(r.created) : Number(r.updated),
  comment: '',
})
/** Of every record, in seconds. */
const TTL = 60

/** The parts of an SRV or MX record may come apart from each other. */
const readRecord = ({ body }: CompatRequest): PartialRequest => {
  const { name, type, value, mxPriority, srv } = body ?? {}
  const whole = srv === undefined || srv === null ? value : srvValue(srv)
  return {
    body: {
      ...(name === undefined ? {} : { name: name ?? '' }),
      ...(type === undefined ? {} : { type }),
      ...(whole === undefined ? {} : { value: whole }),
      ...(mxPriority === undefined || mxPriority === null ? {} : { mxPriority }),
    },
  }
}

const showCert = (c: Certificate) => ({
  ...c,
  id: c.uid,
  createdAt: Date.parse(c.created),
  expiresAt: Date.parse(c.expiration),
})

/** Other versions call the names of a certificate otherwise. */
const readIssue = ({ body }: CompatRequest): PartialRequest => ({
  body: { domains: body?.domains ?? body?.cns, ...(body?.renew === undefined ? {} : { renew: body.renew }) },
})

const showStored = async ({ uid }: { uid: string }, { call }: CompatContext) =>
  showCert(await call(certs.getCertificate, { params: { id: uid } }))

const readUpload = ({ body: { ca, cert, key } }: CompatRequest): PartialRequest => ({
  body: { ca, cert, key },
})

const showAlias = (a: Alias) => ({
  ...a,
  created: a.created,
  createdAt: Date.parse(a.created),
  updatedAt: Date.parse(a.created),
  creator: undefined,
  redirect: null,
})

/** The first versions ask whether a name leads anywhere, and take a refusal for a failure. */
async function aliasOrNull({ call, asked }: CompatContext) {
  try {
    return showAlias(await call(alias.getAlias, { params: asked.params }))
  } catch (error) {
    if (error instanceof AloftError && error.kind === 'not_found') return null
    throw error
  }
}

const showAssigned = (made: object, { asked }: CompatContext) => ({ ...made, alias: asked.body?.alias })

export const domainRows: readonly CompatRow[] = [
  { on: 'GET /v{3,5}/domains', is: api.listDomains, show: showDomains },
  { on: 'POST /v{3,5,6,7}/domains', is: api.addDomain, show: showOne },
  { on: 'GET /v{3,5}/domains/:name', is: api.getDomain, show: showOne },
  { on: 'DELETE /v{3,5,6}/domains/:name', is: api.deleteDomain },
  { on: 'GET /v{4,5,6}/domains/:name/config', is: api.inspectDomain, answer: config },
  { on: 'GET /v1/domains/:name/project-domains', is: alias.listAliases, answer: projectDomains },
  { on: 'GET /v{3,5}/domains/status', is: registrar.getDomainStatus },
  { on: 'GET /v{3,5}/domains/price', is: registrar.getDomainPrice },
  {
    on: 'POST /v{3,5}/domains/buy',
    is: registrar.buyDomain,
    read: ({ body }) => ({ body: { name: body?.name, expectedPrice: body?.expectedPrice } }),
    show: showBought,
    status: 201,
  },
  { on: 'GET /v{1,3,5}/domains/:name/registry', is: registrar.getDomainRegistry },
  {
    on: 'GET /v1/registrar/domains/:name/availability',
    is: registrar.getDomainStatus,
    read: ({ params }) => ({ query: { name: params.name } }),
    show: (status) => status,
  },
  { on: 'GET /v1/registrar/domains/:name/price', is: registrar.getDomainPrice, answer: prices },
  {
    on: 'POST /v1/registrar/domains/:name/buy',
    is: registrar.buyDomain,
    read: readOrder,
    show: showOrder,
    status: 200,
  },

  {
    on: 'GET /v{3,4,5}/domains/:domain/records',
    is: records.listDnsRecords,
    show: ({ records: list, pagination }, { asked }) => ({
      records: list.map((r: DnsRecord) => showRecord(r, asked.params.domain ?? '')),
      pagination,
    }),
  },
  { on: 'POST /v{3,4,5}/domains/:domain/records', is: records.createDnsRecord, read: readRecord },
  {
    on: 'DELETE /v{3,4,5}/domains/:domain/records/:recId',
    is: records.deleteDnsRecord,
    show: () => ({}),
  },
  {
    on: 'GET {,/v4,/v5}/domains/records/:recordId',
    is: records.getDnsRecord,
    show: (r) => showRecord(r, r.domain),
  },
  {
    on: 'PATCH /v{1,3,4,5}/domains/records/:recordId',
    is: records.updateDnsRecord,
    read: readRecord,
    show: (r) => ({ ...showRecord(r, r.domain), type: r.creator === 'system' ? 'record-sys' : 'record' }),
  },

  {
    on: 'GET /v{4,5,6,7,8}{,/now}/certs',
    is: certs.listCertificates,
    show: ({ certs: list, pagination }) => ({ certs: list.map(showCert), pagination }),
  },
  { on: 'GET /v{3,4,5,6,7,8}{,/now}/certs/:id', is: certs.getCertificate, show: showCert },
  {
    on: 'POST /v{3,4,5,6,7,8}{,/now}/certs',
    is: certs.issueCertificate,
    read: readIssue,
    show: showStored,
  },
  // Earlier ones asked in two steps for what is one here.
  {
    on: 'PATCH /v{3,4,5,6,7,8}{,/now}/certs',
    is: certs.issueCertificate,
    read: readIssue,
    show: showStored,
  },
  {
    on: 'PUT /v{3,4,5,6,7,8}{,/now}/certs',
    is: certs.uploadCertificate,
    read: readUpload,
    show: showStored,
  },
  { on: 'DELETE /v{4,5,6,7,8}{,/now}/certs/:id', is: certs.deleteCertificate, show: () => ({}) },

  {
    on: 'GET /v{3,4}{,/now}/aliases',
    is: alias.listAliases,
    show: ({ aliases, pagination }) => ({ aliases: aliases.map(showAlias), pagination }),
  },
  { on: 'GET {/now,/v1/now}/aliases/:id', is: alias.getAlias, answer: aliasOrNull },
  { on: 'GET {/v3,/v3/now,/v4,/v4/now}/aliases/:id', is: alias.getAlias, show: showAlias },
  {
    on: 'POST {/v2,/v3,/now,/v2/now,/v3/now}/deployments/:id/aliases',
    is: alias.assignAlias,
    show: showAssigned,
  },
  { on: 'DELETE /v{3,4}{,/now}/aliases/:id', is: alias.deleteAlias },
]
