import { isDeepStrictEqual } from 'node:util'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DeploymentHost, Site, SiteSource } from '#core/site/site.ts'
import { headerOf } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import type { SiteCache } from './site-cache.ts'
import type { SiteEntry } from './site-entry.ts'

interface Options {
  readonly source: Pick<SiteSource, 'hostOfDeployment'>
  readonly sites: Pick<SiteCache, 'find'>
  readonly clock: Clock
}

const MOST_KNOWN = 1000
const KEPT_MS = MINUTE
const ID = /^dpl_\w{1,64}$/

/**
 * Visitors whose page came from an earlier deployment find its assets and functions, as long as the project wants that:
 * a page that is open while something new goes to production does not break.
 */
export class PinnedSites {
  readonly #options: Options
  readonly #known = new Map<
    string,
    { readonly at: number; readonly host: Promise<DeploymentHost | undefined> }
  >()

  constructor(options: Options) {
    this.#options = options
  }

  /** What answers: the deployment that the request names, or what the host shows now. */
  find(entry: SiteEntry, exchange: Exchange): SiteEntry | Promise<SiteEntry> {
    const { skew, deploymentId } = entry.site
    const id = skew === undefined ? undefined : namedIn(exchange)
    return id === undefined || id === deploymentId ? entry : this.#pinned(entry, id, exchange)
  }

  async #pinned(entry: SiteEntry, id: string, { since }: Exchange): Promise<SiteEntry> {
    const { clock, sites } = this.#options
    const { projectId, skew } = entry.site
    const found = await this.#hostOf(projectId, id)
    if (found === undefined || skew === undefined) return entry
    const isYoung = clock.now() - found.createdAt <= skew.maxAgeMs && found.createdAt >= skew.notBefore
    const shown = isYoung ? await sites.find(found.host, since) : undefined
    if (shown?.site.deploymentId !== id || shown.site.status !== 'ready') return entry
    return isForVisitorsOf(entry.site, shown.site, found) ? shown : entry
  }

  #hostOf(projectId: string, id: string): Promise<DeploymentHost | undefined> {
    const now = this.#options.clock.monotonic()
    const name = `${projectId} ${id}`
    const known = this.#known.get(name)
    if (known !== undefined && now - known.at < KEPT_MS) return known.host
    const host = this.#options.source.hostOfDeployment?.(projectId, id) ?? Promise.resolve(undefined)
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(name, { at: now, host })
    host.catch(() => this.#known.delete(name))
    return host
  }
}

/**
 * Whether those who are let in at a host may see a deployment there: production shows it or has shown it, or its own address asks for
 * nothing else. Anybody can name a preview whose id they have read somewhere.
 */
const isForVisitorsOf = (site: Site, other: Site, { wasShown }: DeploymentHost): boolean =>
  (site.environment === 'production' && wasShown) ||
  other.protection === undefined ||
  isDeepStrictEqual(other.protection, site.protection)

/** As `?dpl=`, in a header, or in a cookie. */
function namedIn({ url, question }: Exchange): string | undefined {
  const query = url.indexOf('?')
  const named =
    (query < 0 ? null : new URLSearchParams(url.slice(query + 1)).get('dpl')) ??
    headerOf(question, 'x-deployment-id') ??
    /(?:^|;\s*)__vdpl=([^;]*)/.exec(headerOf(question, 'cookie') ?? '')?.[1]
  return named !== undefined && ID.test(named) ? named : undefined
}
