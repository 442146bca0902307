import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Images } from '#core/ports/images.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { type Runner, RunnerError } from '#core/ports/runner.ts'
import { RevalidatedTags } from '#core/site/revalidation.ts'
import { SITES_TOPIC, type SiteSource, type SiteVisit, type VisitLog } from '#core/site/site.ts'
import { andThen } from './and-then.ts'
import { createCachedForward } from './cache/cached-forward.ts'
import { createCachedFunctionAnswer } from './cache/cached-function-answer.ts'
import { EdgeCache } from './cache/edge-cache.ts'
import { errorAnswer } from './error/error-answer.ts'
import { type Refusal, reasonOf } from './error/refusal.ts'
import { authorityOf, type Exchange, isSwitch, type Result, refuse } from './exchange.ts'
import { createFastPath, type FastPath } from './fast/fast-path.ts'
import { createFastStreams, type FastStreams } from './fast/fast-streams.ts'
import { Wires } from './fast/wires.ts'
import { ContentStore } from './file/content-store.ts'
import { siteHeaders } from './file/file-answer.ts'
import { HotAnswers } from './file/hot-answers.ts'
import { ownCookies } from './function/own-cookies.ts'
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
import { watchHalfClosed } from './request/half-closed.ts'
import { hostNameOf } from './request/host.ts'
import { type InstanceHost, readInstanceHost } from './request/instance-host.ts'
import type { AnyRequest, AnyResponse } from './request/message.ts'
import { plainAddress } from './request/plain-address.ts'
import { RequestIds } from './request/request-id.ts'
import { discard, isHttp2, respond, type Sent } from './respond.ts'
import { PinnedSites } from './site/pinned-sites.ts'
import { createSiteAnswer } from './site/site-answer.ts'
import { SiteCache } from './site/site-cache.ts'
import type { SiteEntry } from './site/site-entry.ts'
import { createUpgrades, QUIET_MS, switchProtocol, type Upgrades } from './upgrade.ts'
import { UpstreamPool } from './upstream/upstream-pool.ts'
import { visitRecord } from './visit-record.ts'

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
  const cache = new EdgeCache({ memory: prerenders, revalidations, clock, log })
  const functions = {
    runner: options.runner ?? NO_RUNNER,
    pool,
    refused: new RefusedCalls(),
    log,
    revalidations,
    cached: cache,
  }
  const answerPrerendered = createPrerenderAnswer({
    ...{ functions, memory: prerenders, revalidations, contents, clock, log },
    address: options.address ?? DEFAULT_ADDRESS,
  })
  const answerFunction = createCachedFunctionAnswer({ cache, functions, next: answerPrerendered })
  const guard = createGuards(createProtections({ clock, log }, options.protection))
  const answerFrom = createSiteAnswer({
    ...{ guard, contents, hotAnswers, functions, answerFunction },
    forward: createCachedForward(proxy, cache),
    ...(options.images ? { answerImage: createImageAnswer({ images: options.images, cache, proxy }) } : {}),
  })
  const ids = new RequestIds(options.origin)
  const httpDate = createHttpDate()
  const streams = new OpenStreams()
  const shared = { sites, hotAnswers, contents, wires, visits, clock, ids, httpDate, functions, streams }
  const fastPath = createFastPath({ ...shared, keepAliveMs })
  const fastStreams = createFastStreams(shared)
  const unsubscribe = options.bus.subscribe(SITES_TOPIC, (host) => sites.invalidate(host))
  const endGaps = options.bus.onGap?.(() => sites.recheck())

  /** When it was last said that the database is away. */
  let awayAnnounced = Number.NEGATIVE_INFINITY

  function handle(req: AnyRequest, res: AnyResponse): void | Promise<void> {
    return serve({
      req,
      res,
      id: ids.next(),
      at: clock.now(),
      since: clock.monotonic(),
      ip: plainAddress(req.socket.remoteAddress),
      question: { method: req.method ?? 'GET', headers: req.headers },
      url: req.url ?? '/',
    })
  }

  function serve(exchange: Exchange): void | Promise<void> {
    const { req } = exchange
    let entry: SiteEntry | undefined
    const host = hostNameOf(authorityOf(req))
    const answer = () =>
      andThen(host === undefined ? undefined : sites.find(host, exchange.since), (found) => {
        entry = found
        if (found !== undefined)
          return andThen(pinned.find(found, exchange), (shown) => answerFrom(found, exchange, shown))
        const unique = host === undefined ? undefined : readInstanceHost(host)
        return unique === undefined ? refuse('DEPLOYMENT_NOT_FOUND') : answerOf(unique)
      })
    /** As the address of its deployment does, but from this instance alone. */
    const answerOf = async ({ deploymentHost, instance }: InstanceHost): Promise<Result> => {
      const found = await sites.find(deploymentHost, exchange.since)
      if (found === undefined || (found.site.deploymentHost ?? found.site.host) !== deploymentHost)
        return refuse('DEPLOYMENT_NOT_FOUND')
      const running = (await options.instancesOf?.(found.site.deploymentId)) ?? []
      if (!running.some(({ id }) => id === instance)) return refuse('DEPLOYMENT_NOT_FOUND')
      entry = found
      exchange.instance = instance
      return answerFrom(found, exchange)
    }
    const fail = (error: unknown): Refusal => {
      if (isUnavailable(error)) {
        if (exchange.since - awayAnnounced >= TOLD_AGAIN_MS) {
          awayAnnounced = exchange.since
          log.warn({ err: error, id: exchange.id, host }, 'sites cannot be looked up')
        }
        return refuse('SERVICE_UNAVAILABLE')
      }
      log.error({ err: error, id: exchange.id, host }, 'a visitor could not be answered')
      return refuse('INTERNAL_ERROR')
    }
    let result: Result | Promise<Result>
    try {
      result = answer()
    } catch (error) {
      result = fail(error)
    }
    if (result instanceof Promise) {
      watchVisitor(exchange)
      return result.then(
        (settled) => send(exchange, entry, settled),
        (error: unknown) => send(exchange, entry, fail(error)),
      )
    }
    send(exchange, entry, result)
  }

  function send(exchange: Exchange, entry: SiteEntry | undefined, result: Result): void {
    const { req, res, id, at, since, ip, question } = exchange
    const stamp = { id, date: httpDate(clock.now()) }
    const answerWith = ({ code, headers }: Refusal) => {
      // Who is not to know of a site gets what everybody gets where there is none.
      const own = entry && code !== 'DEPLOYMENT_NOT_FOUND' ? siteHeaders(entry.site) : []
      return errorAnswer(code, id, question, [...own, ...headers])
    }
    let answer = 'code' in result ? answerWith(result) : result
    if (entry !== undefined) answer = { ...answer, headers: ownCookies(answer.headers, entry.site) }
    let sent: Sent
    try {
      sent = isSwitch(answer)
        ? switchProtocol(exchange, answer, stamp, { streams, quietMs })
        : respond(req, res, streams.watch(answer), stamp, log)
    } catch (error) {
      log.warn(
        { err: error, id, source: answer.source },
        'an answer could not be put in words of the protocol',
      )
      discard(res, answer)
      answer = answerWith(refuse(UNSPEAKABLE[answer.source] ?? 'INTERNAL_ERROR'))
      sent = respond(req, res, answer, stamp, log)
    }
    if (entry === undefined) return
    const { status, source, entrypoint } = answer
    const failure = 'code' in result ? result : exchange.failure
    const over = isSwitch(answer) ? exchange.upgrade?.socket : res
    over?.once('close', () =>
      visits.record(
        visitRecord(
          entry.site,
          {
            ...{ id, at, method: question.method, path: exchange.url, ip },
            protocol: req.httpVersionMajor === 2 ? 'HTTP/2' : `HTTP/${req.httpVersion}`,
            userAgent: req.headers['user-agent'] ?? '',
          },
          {
            ...{ status, source, entrypoint, coldStart: exchange.isCold },
            ms: Math.round(clock.monotonic() - since),
            bytes: sent(),
            reason: failure && source === 'error' ? reasonOf(failure, status) : undefined,
          },
        ),
      ),
    )
  }

  return {
    handle,
    upgrade: createUpgrades({ sites, clock, ids, serve }),
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

/** What takes its time may be waited for in vain. HTTP/2 tells of visitors who leave. */
function watchVisitor(exchange: Exchange): void {
  const { req, res } = exchange
  if (isHttp2(res)) return
  const askPeer = () => {
    if (res.headersSent) return false
    res.writeContinue()
    return true
  }
  exchange.watch = watchHalfClosed(req.socket, askPeer)
  res.once('close', exchange.watch.stop)
}

/** What it means that an answer cannot be put in words of the protocol, by who gave it. */
const UNSPEAKABLE: Partial<Record<SiteVisit['source'], Refusal['code']>> = {
  proxy: 'ROUTER_EXTERNAL_TARGET_ERROR',
  function: 'FUNCTION_INVOCATION_FAILED',
  server: 'FUNCTION_INVOCATION_FAILED',
}

/** A line for every visitor would say no more than one now and then. */
const TOLD_AGAIN_MS = 10_000

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
