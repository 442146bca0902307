import { AloftError } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Quotas } from '../usage/quotas.ts'
import type { Certificate } from './certificate.ts'
import { covers, isWildcard, readCertificateName, readCertificateNames } from './certificate-name.ts'
import type { CertificateStore } from './certificate-store.ts'
import { timesOf } from './certificate-times.ts'
import type { NameCheck } from './check-names.ts'
import { hostJob } from './issue/issue-jobs.ts'
import type { OrderCertificate } from './issue/order-certificate.ts'
import type { KeepCertificate } from './make-certificate.ts'
import { readUpload, type Upload } from './uploaded-certificate.ts'

export interface Certificates {
  list(ctx: Context, page: PageQuery): Promise<Page<Certificate>>
  find(ctx: Context, id: string): Promise<Certificate>
  /** Those that have the name among theirs: the one for it alone first, then the newest. */
  findByName(ctx: Context, name: string): Promise<readonly Certificate[]>
  /** The one there is, while it is good for long enough and `renew` is not asked for; else a new one. */
  issue(
    ctx: Context,
    command: { readonly domains: readonly string[]; readonly renew?: boolean },
  ): Promise<Certificate>
  /** In the place of the certificate that the account has for the same names. */
  upload(ctx: Context, upload: Upload & { readonly domains?: readonly string[] }): Promise<Certificate>
  delete(ctx: Context, id: string): Promise<void>
  deleteNamed(ctx: Context, name: string): Promise<void>
}

interface CertificateParts {
  readonly store: CertificateStore
  readonly transact: Transact<{
    readonly certificates: CertificateStore
    readonly hosts: HostStore
    readonly jobs: JobQueue
  }>
  readonly quotas: Pick<Quotas, 'check'>
  readonly keep: KeepCertificate
  readonly clock: Clock
  readonly check: NameCheck
  readonly order: OrderCertificate
  /** Tells every process that the certificates of these names are others now. */
  readonly onChanged: (names: readonly string[]) => void
}

export function createCertificates(parts: CertificateParts): Certificates {
  const { store, transact, quotas, keep, clock, check, order, onChanged } = parts

  /** Nothing has a name that no certificate can have. */
  const asName = (text: string): string | undefined => {
    try {
      return readCertificateName(text)
    } catch {
      return undefined
    }
  }
  const notFound = (what: string) =>
    new AloftError('cert_not_found', `There is no certificate \`${what.slice(0, 300)}\`.`)

  async function find(ctx: Context, id: string): Promise<Certificate> {
    const found = await store.find(ctx.owner.id, id)
    if (!found) throw notFound(id)
    return found
  }

  async function findByName(ctx: Context, text: string): Promise<readonly Certificate[]> {
    const name = asName(text)
    if (name === undefined) throw notFound(text)
    const found = (await store.forHost(name)).filter(
      ({ ownerId, names }) => ownerId === ctx.owner.id && names.includes(name),
    )
    if (found.length === 0) throw notFound(text)
    return found.toSorted((a, b) => Math.min(a.names.length, 2) - Math.min(b.names.length, 2))
  }

  /** One that was made by itself is from now on one that somebody relies on. */
  const asked = (known: Certificate): Promise<Certificate> =>
    transact(async ({ certificates }) => {
      const current = (await certificates.find(known.ownerId, known.id)) ?? known
      await certificates.replace(current.id, { ...current, source: 'issued' })
      return current
    })

  async function remove(ctx: Context, { id, names }: Certificate): Promise<void> {
    const gone = await transact(async ({ certificates, hosts, jobs }) => {
      if (!(await certificates.remove(ctx.owner.id, id))) return false
      // Hosts that it served get one by themselves.
      for (const name of names)
        if (!isWildcard(name) && (await hosts.holder(name))) await jobs.enqueue(hostJob(name))
      return true
    })
    if (!gone) throw notFound(id)
    onChanged(names)
  }

  return {
    list: (ctx, page) => store.list(ctx.owner.id, page),
    find,
    findByName,

    async issue(ctx, { domains, renew = false }) {
      const names = readCertificateNames(domains)
      await check.issuable(ctx.owner.id, names)
      const known = await store.withNames(ctx.owner.id, names)
      // Before an authority is asked. An order that was begun is carried out.
      if (!known) await quotas.check(ctx.owner, 'certificates', 1)
      if (!known || renew || clock.now() >= timesOf(known.cert).renewAt) return order(ctx.owner.id, names)
      return known.source === 'automatic' ? asked(known) : known
    },

    async upload(ctx, { domains = [], ...upload }) {
      const asked = readCertificateNames(domains)
      const { names, expiresAt, cert, key } = readUpload(upload, clock.now())
      const missing = asked.find((name) => !covers(names, name))
      if (missing !== undefined)
        throw new AloftError('invalid_cert', `The certificate is not for \`${missing}\`.`)
      await check.owned(ctx.owner.id, names)
      return keep.save(ctx.owner.id, 'uploaded', { names, expiresAt, cert, key, renewAt: null }, (stores) =>
        quotas.check(ctx.owner, 'certificates', 1, stores),
      )
    },

    delete: async (ctx, id) => remove(ctx, await find(ctx, id)),

    async deleteNamed(ctx, name) {
      const [first] = await findByName(ctx, name)
      if (first) await remove(ctx, first)
    },
  }
}
