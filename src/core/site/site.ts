import type { ImageConfig } from '../output/image-config.ts'
import type { OutputContent, Prerender, Shape } from '../output/output.ts'
import type { Ramp } from '../release/release.ts'
import type { Route } from '../routing/route.ts'

/** What a host name answers with: a deployment's files and rules, frozen, plus the state of the pointer to it. */
export interface Site {
  readonly host: string
  /** The alias that stands for this host and all others beside it, such as `*.example.com`; absent: it has its own name. */
  readonly wildcard?: string | undefined
  /** The deployment's own; absent: `host`. */
  readonly deploymentHost?: string
  /** The one of the deployment's hosts that stands in pages which visitors of all of them get; absent: `host`. */
  readonly canonicalHost?: string
  /** What the names of the platform are under: nobody sets cookies for it; absent: sites share it with nobody. */
  readonly platformDomain?: string
  readonly deploymentId: string
  readonly projectId: string
  readonly ownerId: string
  /** `production` when the host is a production alias or the url of a production deployment. */
  readonly environment: 'production' | 'preview'
  readonly status: SiteStatus
  /** Path without leading slash → content. */
  readonly files: ReadonlyMap<string, SiteFile>
  /** Path without leading slash → what runs for it. */
  readonly functions: ReadonlyMap<string, SiteFunction>
  /** Route rules; undefined when there are none. */
  readonly routes: readonly Route[] | undefined
  /** Whether the rules are as they were given at creation, or as a build left them. */
  readonly routesFrom: 'request' | 'output'
  /** When the build that made its pages was begun: they are no older. Absent where nothing was built. */
  readonly builtAt?: number
  readonly directoryListing: boolean
  /** What of its images can be had in other sizes; absent: nothing. */
  readonly images?: ImageConfig
  /** How visitors are given to the instances of a program. */
  readonly sessionAffinity: 'ip' | 'random'
  /** Where its functions are to run; absent: anywhere. */
  readonly regions?: readonly string[]
  /** Where visitors of this host are sent instead, with path and query as they are. */
  readonly redirect?: { readonly host: string; readonly status: 301 | 302 | 307 | 308 }
  /** False: no answer of a function or of a rewrite to elsewhere is kept for other visitors. */
  readonly keepsAnswers?: false
  /** Which earlier deployments of the project visitors find here who name them; absent: none. */
  readonly skew?: { readonly maxAgeMs: number; readonly notBefore: number }
  /** A newer deployment that a share of the visitors gets; absent: all get this one. */
  readonly canary?: Canary
  /** Who may visit this host; absent: everybody. */
  readonly protection?: SiteProtection
}

/** A deployment on its way to all visitors of a host. */
export interface Canary {
  readonly deploymentId: string
  readonly host: string
  readonly ramp: Ramp
  /** Whether its answers say that they are. */
  readonly isNamed: boolean
}

/** What stands before the routes of a host; parts that do not cover it are left out. */
export interface SiteProtection {
  readonly trustedIps?: {
    /** IPv4 addresses and CIDR ranges. */
    readonly addresses: readonly string[]
    /** `additional`: only from there, and then the rest too. `exclusive`: from there, nothing more is asked. */
    readonly mode: 'additional' | 'exclusive'
  }
  /** OPTIONS requests for paths that begin with one of these pass. */
  readonly optionsPaths: readonly string[]
  /** Whoever knows one of these passes; hashes. */
  readonly bypassHashes: readonly string[]
  /** Members of the owning account pass once they have signed in. */
  readonly sso: boolean
  /** The password, sealed for the project, and its version: a changed password ends what was let in. */
  readonly password?: { readonly sealed: string; readonly version: string }
}

export interface SiteFile extends Pick<OutputContent, 'sha256' | 'size'> {
  /** Over what the path's extension says. */
  readonly contentType?: string
}

export interface SiteFunction {
  /** Its key among the functions. */
  readonly path: string
  /** The id of the program that answers. */
  readonly program: string
  readonly shape: Shape
  /** Seconds for one request. */
  readonly maxDuration: number
  readonly prerender?: Prerender
}

/** Why a host that is known does not serve, in the order in which visitors are told. */
const SITE_STATUSES = ['deleted', 'blocked', 'paused', 'failed', 'building', 'ready'] as const
export type SiteStatus = (typeof SITE_STATUSES)[number]

/** Looks a host up. The answer is a snapshot; a change is told on the bus under `SITES_TOPIC`. */
export interface SiteSource {
  find(host: string): Promise<Site | undefined>
  /** The address of a deployment of a project that was not deleted; absent where there is only one deployment. */
  hostOfDeployment?(projectId: string, deploymentId: string): Promise<DeploymentHost | undefined>
}

export interface DeploymentHost {
  readonly host: string
  readonly createdAt: number
  /** Whether production shows it or has shown it, be it to a share of its visitors. */
  readonly wasShown: boolean
}

/** The message is the host whose pointer changed, or `*` for all of them. */
export const SITES_TOPIC = 'sites'

/** One visit, for the log of the deployment. */
export interface SiteVisit {
  readonly id: string
  readonly at: number
  readonly deploymentId: string
  readonly ownerId: string
  readonly projectId: string
  readonly environment: Site['environment']
  readonly host: string
  readonly method: string
  readonly path: string
  readonly protocol: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly ip: string
  readonly userAgent: string
  /** What answered: `server` is a program that listens by itself. */
  readonly source: 'static' | 'function' | 'server' | 'proxy' | 'redirect' | 'error'
  readonly entrypoint: string
  /** Whether it waited for an instance to start. */
  readonly coldStart?: boolean | undefined
  /** Why the site could not answer, where that is not its own answer. */
  readonly reason?: string | undefined
}

/** Takes visits without ever making a visitor wait. */
export interface VisitLog {
  record(visit: SiteVisit): void
}
