import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Images } from '#core/ports/images.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { type Runner, RunnerError } from '#core/ports/runner.ts'
import { RevalidatedTags } from '#core/site/revalidation.ts'
import { SITES_TOPIC, type SiteSource, type VisitLog } from '#core/site/site.ts'
import { AnswerMemory } from './answer-memory.ts'
import { createCachedForward } from './cache/cached-forward.ts'
import { createCachedFunctionAnswer } from './cache/cached-function-answer.ts'
import { EdgeCache } from './cache/edge-cache.ts'
import { exchangeOf } from './exchange.ts'
import { createFastPath, type FastPath } from './fast/fast-path.ts'
import { createFastStreams, type FastStreams } from './fast/fast-streams.ts'
import { Unsent, type UnsentLimits } from './fast/unsent.ts'
import { Wires } from './fast/wires.ts'
import { ContentStore } from './file/content-store.ts'
import { HotAnswers } from './file/hot-answers.ts'
import { Deadlines } from './function/deadlines.ts'
import { RefusedCalls } from './function/refused-calls.ts'
import { createGuards } from './guards.ts'
import { createHttpDate } from './http-date.ts'
import { createImageAnswer } from './image/image-answer.ts'
import { OpenStreams } from './open-streams.ts'
import { DEFAULT_ADDRESS, type PublicAddress } from './prerender/canonical-visitor.ts'
import { createPrerenderAnswer } from './prerender/prerender-answer.ts'
import { PrerenderMemory } from './prerender/prerender-memory.ts'
import { Revalidations } from './prerender/revalidations.ts'
import { createProtections, type ProtectionOptions } from './protection/protections.ts'
import { createProxy, type ProxyOptions } from './proxy/proxy.ts'
import { RequestIds } from './request/request-id.ts'
import { PinnedSites } from './site/pinned-sites.ts'
import { ReleaseSides } from './site/release-sides.ts'
import { createSiteAnswers } from './site/site-answer.ts'
import { SiteCache } from './site/site-cache.ts'
import { createUpgrades, QUIET_MS, type Upgrades } from './upgrade/upgrade.ts'
import { UpstreamPool } from './upstream/upstream-pool.ts'
import { buildVisitorHandler } from './visitor-handler.ts'
import { type VisitorLimits, VisitorMemory } from './visitor-memory.ts'

export interface EdgeOptions {
  readonly sites: SiteSource
  readonly blobs: Pick<BlobStore, 'read' | 'open'>
  readonly bus: Bus
  readonly visits: VisitLog
  readonly clock: Clock
  readonly log: Log
  /** Where this node is; the beginning of every request's id. */
  readonly origin: string
  /** What may be kept in memory: sites, contents and answers together. */
  readonly budgetBytes: number
  /** How long idle connections are kept by the server that `handle` is called from. */
  readonly keepAliveMs: number
  /** How long a connection of HTTP/2 may be quiet before it is left to node:http2. */
  readonly firstRequestMs?: number
  /** How long a WebSocket may be without a word in either direction; absent: an hour. */
  readonly quietMs?: number
  readonly proxy?: ProxyOptions
  /** Has the instances that answer for functions; absent, functions are not available. */
  readonly runner?: Runner
  /** The instances that run for a deployment, for their unique addresses; absent, these lead nowhere. */
  readonly instancesOf?: (deploymentId: string) => Promise<readonly { readonly id: string }[]>
  /** Where answers of functions are kept for all serving processes; absent, they are kept for a moment only. */
  readonly prerenders?: PrerenderCache
  /** Makes images smaller; absent, they are served as they are. */
  readonly images?: Images
  /** Where visitors find sites; absent: by HTTPS at its usual port. */
  readonly address?: PublicAddress
  /** Lets visitors into sites that are not for everyone; absent, they let nobody in. */
  readonly protection?: ProtectionOptions
  /** What of answers may be in memory until it is taken. */
  readonly unsentLimits?: Partial<UnsentLimits>
  readonly visitorLimits?: Partial<VisitorLimits>
}

/** Answers the visitors of deployed sites. */
export interface Edge {
  /** Serves one request, of any HTTP version: at once if all is in memory. Never throws or rejects. */
  handle(req: AnyRequest, res: AnyResponse): void | Promise<void>
  /** Serves requests of HTTP/1.1 for another protocol on their connection. */
  readonly upgrade: Upgrades
  /** Serves what it can of HTTP/1.1 connections, plain or TLS, before a server of node:http gets them. */
  readonly fastPath: FastPath
  /** Serves what it can of HTTP/2 streams before they become requests. */
  readonly fastStreams: FastStreams
  /** Forgets what a host points to, or what all of them do for `*`. Changes told on the bus do this by themselves. */
  invalidate(host: string): void
  /** Ends what would go on for as long as its visitor likes: events and WebSockets, with a word that they may come back. */
  endStreams(): void
  /** Lets go of everything; requests under way still get their answers. */
  close(): Promise<void>
}

/** What the memory is spent on: contents most of all. */
const SHARES = { contents: 0.5, wires: 0.2, sites: 0.12, answers: 0.1, prerenders: 0.08 } as const

export function createEdge(options: EdgeOptions): Edge {
  const { clock, log, visits, budgetBytes, keepAliveMs, quietMs = QUIET_MS } = options
  const contents = new ContentStore({ blobs: options.blobs, log, budgetBytes: budgetBytes * SHARES.contents })
  const hotAnswers = new HotAnswers(budgetBytes * SHARES.answers)
  const wires = new Wires(budgetBytes * SHARES.wires)
  const proxy = createProxy(options.proxy ?? {})
  const pool = new UpstreamPool(clock)
  const prerenderCache = options.prerenders ?? NO_PRERENDERS
  const prerenders = new PrerenderMemory(prerenderCache, clock, log, budgetBytes * SHARES.prerenders)
  const revalidations = new Revalidations({
    ...{ cache: prerenderCache, memory: prerenders, bus: options.bus, clock, log },
  })
  const sites = new SiteCache({
    ...{ sites: options.sites, clock, log, budgetBytes: budgetBytes * SHARES.sites },
    prepare: ({ functions, deploymentId }) =>
      functions.size === 0 ? undefined : revalidations.load(deploymentId),
  })
  const pinned = new PinnedSites({ source: options.sites, sites, clock })
  const sides = new ReleaseSides({ sites, clock })
  const held = new AnswerMemory()
  const cache = new EdgeCache({ memory: prerenders, revalidations, held, clock, log })
  const functions = {
    runner: options.runner ?? NO_RUNNER,
    pool,
    refused: new RefusedCalls(),
    deadlines: new Deadlines(),
    log,
    revalidations,
    cached: cache,
  }
  const address = options.address ?? DEFAULT_ADDRESS
  const answerPrerendered = createPrerenderAnswer({
    ...{ functions, memory: prerenders, revalidations, held, contents, address, clock, log },
  })
  const answerFunction = createCachedFunctionAnswer({ cache, functions, next: answerPrerendered })
  const guard = createGuards(createProtections({ clock, log }, options.protection))
  const siteAnswers = createSiteAnswers({
    ...{ contents, hotAnswers, functions, address, answerFunction },
    forward: createCachedForward(proxy, cache),
    ...(options.images
      ? { answerImage: createImageAnswer({ images: options.images, cache, held, proxy, address }) }
      : {}),
  })
  const ids = new RequestIds(options.origin)
  const httpDate = createHttpDate()
  const streams = new OpenStreams()
  const memory = new VisitorMemory(options.visitorLimits)
  const shared = {
    sites,
    hotAnswers,
    contents,
    wires,
    visits,
    clock,
    ids,
    httpDate,
    functions,
    cache,
    streams,
    unsent: new Unsent(options.unsentLimits),
    memory,
  }
  const fastPath = createFastPath({ ...shared, keepAliveMs, firstRequestMs: options.firstRequestMs })
  const fastStreams = createFastStreams(shared)
  const unsubscribe = options.bus.subscribe(SITES_TOPIC, (host) => sites.invalidate(host))
  const endGaps = options.bus.onGap?.(() => sites.recheck())

  const serve = buildVisitorHandler({
    ...{ sites, pinned, sides, guard, siteAnswers, streams, memory, quietMs, httpDate, visits, clock, log },
    instancesOf: options.instancesOf ?? (async () => []),
  })

  return {
    handle(req, res) {
      if (!('stream' in req)) functions.refused.begin(req)
      return serve(exchangeOf(req, res, { ids, clock, memory }))
    },
    upgrade: createUpgrades({ sites, clock, ids, memory, serve }),
    fastPath,
    fastStreams,
    invalidate: (host) => sites.invalidate(host),
    endStreams: () => streams.end(),
    async close() {
      await options.images?.close()
      unsubscribe()
      endGaps?.()
      revalidations.close()
      fastPath.release(true)
      proxy.close()
      pool.close()
      sites.clear()
      hotAnswers.clear()
      prerenders.clear()
      wires.clear()
      await contents.close()
    },
  }
}

const NO_RUNNER: Runner = {
  lease() {
    throw new RunnerError('unavailable', 'nothing runs functions here')
  },
}

const NO_PRERENDERS: PrerenderCache = {
  get: async () => undefined,
  put: async () => {},
  revalidate: async () => {},
  revalidations: async () => new RevalidatedTags(),
  forget: async () => {},
}
