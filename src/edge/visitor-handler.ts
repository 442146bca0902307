import { isHttp2 } from '#core/http-message.ts'
import type { Clock } from '#core/ports/clock.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import type { Site, SiteVisit, VisitLog } from '#core/site/site.ts'
import { andThen, firstOf } from './and-then.ts'
import { errorAnswer } from './error/error-answer.ts'
import { type Refusal, reasonOf, refuse } from './error/refusal.ts'
import { authorityOf, type Exchange, isSwitch, type Result } from './exchange.ts'
import { siteHeaders } from './file/file-answer.ts'
import { ownCookies } from './function/own-cookies.ts'
import type { Admission } from './guards.ts'
import type { OpenStreams } from './open-streams.ts'
import { hideVisitorCookie } from './protection/hide-cookie.ts'
import { privateAnswer } from './protection/private-answer.ts'
import { createReadmission, type ShownCredentials } from './readmission.ts'
import { watchHalfClosed } from './request/half-closed.ts'
import { hostNameOf } from './request/host.ts'
import { readInstanceHost } from './request/instance-host.ts'
import { type BytesSent, discard, isGone, respond, whenOver } from './respond.ts'
import type { PinnedSites } from './site/pinned-sites.ts'
import type { ReleaseSides } from './site/release-sides.ts'
import type { createSiteAnswers } from './site/site-answer.ts'
import type { SiteCache } from './site/site-cache.ts'
import { type SiteEntry, shownAt } from './site/site-entry.ts'
import { switchProtocol } from './upgrade/upgrade.ts'
import { visitRecord } from './visit-record.ts'
import type { VisitorMemory } from './visitor-memory.ts'

interface VisitorHandlerParts {
  readonly sites: SiteCache
  readonly pinned: PinnedSites
  readonly sides: ReleaseSides
  readonly guard: (site: Site, exchange: Exchange) => Admission | Promise<Admission>
  readonly siteAnswers: ReturnType<typeof createSiteAnswers>
  readonly instancesOf: (deploymentId: string) => Promise<readonly { readonly id: string }[]>
  readonly streams: OpenStreams
  readonly memory: VisitorMemory
  readonly quietMs: number
  readonly httpDate: (now: number) => string
  readonly visits: VisitLog
  readonly clock: Clock
  readonly log: Log
}

/** A visitor's request, and what is known of it so far. */
interface Visit {
  readonly exchange: Exchange
  readonly host: string | undefined
  /** The site of the host, once it is found. */
  entry?: SiteEntry
  /** What answers in its place, if the visitor belongs to another deployment than most. */
  shown?: SiteEntry
  /** What the guards were shown, once they are asked. */
  toGuards?: ShownCredentials
  /** Set where the visitor was let in by a guard: the answer is theirs alone, and has these cookies. */
  cookies?: readonly string[]
}

type Step = (visit: Visit) => Result | undefined | Promise<Result | undefined>

/** Serves one request to its end. Never throws or rejects. */
type ServeVisitor = (exchange: Exchange) => void | Promise<void>

/**
 * Everything that happens to a visitor's request, in order. Plain GETs of what is in memory do not come so far: the fast
 * path (`fast/`) answers them on the socket, with the same answers.
 */
export function buildVisitorHandler(parts: VisitorHandlerParts): ServeVisitor {
  const steps: readonly Step[] = [
    findSite(parts), // the site of the host; there is none: not found
    findInstance(parts), // a host may be the address of one instance
    findEarlierDeployment(parts), // which the visitor's page is of, where the project wants that
    findReleaseSide(parts), // of the live and the new deployment, while one takes the place of the other
    passGuards(parts), // deleted, paused, redirected, protected, not ready: see guards.ts
    hideProtectionCookie, // from whatever answers
    answerImage(parts), // in another size or format
    answerRoutes(parts), // middlewares and routes: a file, a function, a kept answer, a rewrite, or nothing
  ]
  const fail = createFailures(parts.log)
  const send = createSending(parts)
  return (exchange) => {
    const visit: Visit = { exchange, host: hostNameOf(authorityOf(exchange.req)) }
    let result: Result | undefined | Promise<Result | undefined>
    try {
      result = firstOf(steps, visit)
    } catch (error) {
      result = fail(error, visit)
    }
    if (!(result instanceof Promise)) return send(visit, result ?? NOT_FOUND)
    watchVisitor(exchange)
    return result.then(
      (settled) => send(visit, settled ?? NOT_FOUND),
      (error: unknown) => send(visit, fail(error, visit)),
    )
  }
}

const NOT_FOUND = refuse('DEPLOYMENT_NOT_FOUND')

const findSite =
  ({ sites }: VisitorHandlerParts): Step =>
  (visit) => {
    const { host, exchange } = visit
    if (host === undefined) return NOT_FOUND
    return andThen(sites.find(host, exchange.since), (found) => {
      if (found !== undefined) visit.entry = found
      return undefined
    })
  }

/** As the address of its deployment does, but from this instance alone. */
const findInstance =
  ({ sites, instancesOf }: VisitorHandlerParts): Step =>
  (visit) => {
    const { host = '', entry, exchange } = visit
    if (entry !== undefined) return undefined
    const unique = readInstanceHost(host)
    if (unique === undefined) return NOT_FOUND
    const { deploymentHost, instance } = unique
    const find = async (): Promise<Result | undefined> => {
      const found = await sites.find(deploymentHost, exchange.since)
      if (found === undefined || (found.site.deploymentHost ?? found.site.host) !== deploymentHost)
        return NOT_FOUND
      const running = await instancesOf(found.site.deploymentId)
      if (!running.some(({ id }) => id === instance)) return NOT_FOUND
      visit.entry = found
      exchange.instance = instance
      return undefined
    }
    return find()
  }

/** What the host shows is there. That another deployment cannot be looked up at the moment is no reason to show nothing. */
const unlessUnavailable = (other: SiteEntry | Promise<SiteEntry>, entry: SiteEntry) =>
  other instanceof Promise
    ? other.catch((error: unknown) => {
        if (isUnavailable(error)) return entry
        throw error
      })
    : other

const findEarlierDeployment =
  ({ pinned }: VisitorHandlerParts): Step =>
  (visit) => {
    const { entry, exchange } = visit
    if (entry === undefined || exchange.instance !== undefined) return undefined
    return andThen(unlessUnavailable(pinned.find(entry, exchange), entry), (shown) => {
      visit.shown = shownAt(entry, shown)
      return undefined
    })
  }

const findReleaseSide =
  ({ sides }: VisitorHandlerParts): Step =>
  (visit) => {
    const { entry, shown = entry, exchange } = visit
    if (entry === undefined || shown !== entry || exchange.instance !== undefined) return undefined
    return andThen(unlessUnavailable(sides.find(entry, exchange), entry), (side) => {
      visit.shown = shownAt(entry, side)
      return undefined
    })
  }

const passGuards =
  ({ guard }: VisitorHandlerParts): Step =>
  (visit) => {
    const { entry, exchange } = visit
    visit.toGuards = { url: exchange.url, cookie: exchange.req.headers.cookie }
    if (entry === undefined || entry.isPlain) return undefined
    return andThen(guard(entry.site, exchange), (admission) => {
      if (!('cookies' in admission)) return admission
      visit.cookies = admission.cookies
      return undefined
    })
  }

const hideProtectionCookie: Step = ({ exchange }) => {
  hideVisitorCookie(exchange.req)
  return undefined
}

/** An answer behind a guard is for the one who passed it. */
const ofSite =
  (
    answer: (shown: SiteEntry, exchange: Exchange) => Result | undefined | Promise<Result | undefined>,
  ): Step =>
  ({ entry, shown = entry, exchange, cookies }) =>
    shown === undefined
      ? NOT_FOUND
      : andThen(answer(shown, exchange), (result) =>
          result === undefined || cookies === undefined ? result : privateAnswer(result, cookies),
        )

const answerImage = ({ siteAnswers }: VisitorHandlerParts): Step => ofSite(siteAnswers.answerImage)
const answerRoutes = ({ siteAnswers }: VisitorHandlerParts): Step => ofSite(siteAnswers.answerRoutes)

/** A line for every visitor would say no more than one now and then. */
const ANNOUNCED_AGAIN_MS = 10_000

/** What a visitor gets where answering them went wrong. */
function createFailures(log: Log): (error: unknown, visit: Visit) => Refusal {
  /** When it was last said that the database is away. */
  let awayAnnounced = Number.NEGATIVE_INFINITY
  return (err, { host, exchange: { id, since } }) => {
    if (isUnavailable(err)) {
      if (since - awayAnnounced >= ANNOUNCED_AGAIN_MS) {
        awayAnnounced = since
        log.warn({ err, id, host }, 'sites cannot be looked up')
      }
      return refuse('SERVICE_UNAVAILABLE')
    }
    log.error({ err, id, host }, 'a request could not be answered')
    return refuse('INTERNAL_ERROR')
  }
}

/** What it means that an answer cannot be put in words of the protocol, by who gave it. */
const UNSPEAKABLE: Partial<Record<SiteVisit['source'], Refusal['code']>> = {
  proxy: 'ROUTER_EXTERNAL_TARGET_ERROR',
  function: 'FUNCTION_INVOCATION_FAILED',
  server: 'FUNCTION_INVOCATION_FAILED',
}

/** Sends what came of a visit, and records it when that is over. */
function createSending(parts: VisitorHandlerParts): (visit: Visit, result: Result) => void {
  const { streams, memory, quietMs, httpDate, visits, clock, log } = parts
  const readmit = createReadmission(parts)
  return ({ exchange, entry, shown, toGuards }, result) => {
    const { req, res, id, at, since, ip, question } = exchange
    const stamp = { id, date: httpDate(clock.now()) }
    const answerWith = ({ code, headers }: Refusal) => {
      // Who is not to know of a site gets what everybody gets where there is none.
      const own = entry && code !== 'DEPLOYMENT_NOT_FOUND' ? siteHeaders(entry.site) : []
      return errorAnswer(code, id, question, [...own, ...headers])
    }
    let answer = 'code' in result ? answerWith(result) : result
    // Who has left already is sent nothing, and does not leave again.
    if (Buffer.isBuffer(answer.body) && !isGone(res)) {
      const taken = memory.hold(ip, answer.body, isHttp2(res))
      if (taken === undefined) answer = answerWith(refuse('SERVICE_UNAVAILABLE'))
      else res.once('close', taken)
    }
    if (entry !== undefined) answer = { ...answer, headers: ownCookies(answer.headers, entry.site) }
    if (exchange.added !== undefined) answer = { ...answer, headers: [...answer.headers, ...exchange.added] }
    const isLetIn = async () => !entry || !toGuards || readmit(entry.site.host, exchange, toGuards)
    let sent: BytesSent
    try {
      sent = isSwitch(answer)
        ? switchProtocol(exchange, answer, stamp, { streams, isLetIn, quietMs })
        : respond(exchange, streams.watch(answer, isLetIn), stamp, { memory, log })
    } catch (error) {
      log.warn(
        { err: error, id, source: answer.source },
        'an answer could not be put in words of the protocol',
      )
      discard(res, answer)
      answer = answerWith(refuse(UNSPEAKABLE[answer.source] ?? 'INTERNAL_ERROR'))
      sent = respond(exchange, answer, stamp, { memory, log })
    }
    if (entry === undefined) return
    const { status, source, entrypoint } = answer
    const failure = 'code' in result ? result : exchange.failure
    const record = () =>
      visits.record(
        visitRecord(
          recordedSite(entry, shown),
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
      )
    if (isSwitch(answer)) exchange.upgrade?.socket.once('close', record)
    else whenOver(res, record)
  }
}

/** A visit is one of the host, and of the deployment that answered. */
const recordedSite = ({ site }: SiteEntry, shown: SiteEntry | undefined): Site =>
  shown === undefined || shown.site.deploymentId === site.deploymentId
    ? site
    : { ...site, deploymentId: shown.site.deploymentId }

/** What takes its time may be waited for in vain. HTTP/2 tells of visitors who leave. */
function watchVisitor(exchange: Exchange): void {
  const { req, res } = exchange
  if (isHttp2(res)) return
  const askPeer = () => {
    // The answer to an earlier request of the same connection is still to be sent.
    if (res.socket === null) return undefined
    if (res.headersSent) return false
    // HTTP/1.0 has nothing of that kind: a client takes it for the answer.
    if (req.httpVersionMinor === 0) return undefined
    res.writeContinue()
    return true
  }
  exchange.watch = watchHalfClosed(req.socket, askPeer)
  res.once('close', exchange.watch.stop)
}
