import { SECOND } from '#contract/time.ts'
import { sourceOf } from '#core/access/network-of.ts'
import { senderOf } from '#core/access/sender.ts'
import type { AnyRequest } from '#core/http-message.ts'
import { bodyOf } from '#edge/request/request-body.ts'

/** Bodies of more than this are many files, or lists as long. */
const LARGE_BODY = 128 * 1024
/** Requests of one caller within a second: no person asks so often. */
const BUSY = 20
/** Milliseconds of CPU time that the requests of one caller may take of this process within a second. */
const BUSY_MS = 25
/** Callers of one source within a second who are counted each for themselves: cookies and tokens are easily made up. */
const MOST_CALLERS = 8

/** As they are named by this API, and by others whose clients can be used with it. */
const DEPLOYMENTS = String.raw`^/(?:v\d+/)?(?:(?:platform|now)/)?deployments`
const TREE = new RegExp(`${DEPLOYMENTS}/[^/]+/files$`)
/** To find one of many files, the list of all of them is read. */
const FILE = new RegExp(`${DEPLOYMENTS}/[^/]+/files/[^/]+$`)
/**
 * Logs, in which something may have to be searched for that is in none of their many entries, and analytics, of which as
 * many rows are added up: the embedded database stops the process while it reads.
 */
const LOG = new RegExp(
  String.raw`${DEPLOYMENTS}/[^/]+/(?:events|logs)$|^/(?:v\d+/)?(?:projects/[^/]+/(?:logs|analytics)|analytics/projects)$`,
)
/** What goes on without an end: it costs little here, and as much again there. */
const CHANGES = /\/changes$/
const FOLLOWS = /[?&]follow=(?!0|false|&|$)/
const UPLOAD = /\/files$/
/** A thousand small files, of each of which there is something to do. */
const BATCH = /\/files\/batch$/

/**
 * Git, which is run as a program of its own, and so are the keys of repositories made. To start a program is to copy the
 * tables of all memory that this process has, during which it answers nobody.
 */
const CLIENT_OF_GIT = /^\/git\/[^/]+\/[^/]+\/(?:info\/refs|git-(?:upload|receive)-pack)$/
const STARTS_GIT: Readonly<Record<string, RegExp>> = {
  POST: /^\/(?:v\d+\/)?git\/inspect$/,
  PUT: /^\/(?:v\d+\/)?projects\/[^/]+\/git$/,
}

/** A request, and its path as the router reads it: one that is written otherwise is answered by the same endpoint. */
interface AskedRequest {
  readonly method: string | undefined
  readonly path: string
  readonly query: string
  /** Where nobody knows how long its body is, that is taken for large. */
  readonly hasLargeBody: boolean
}

function readAsked(req: AnyRequest): AskedRequest {
  const { method, url = '', headers } = req
  const local = url[0] === '/' ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const end = local.search(/[?#]/)
  const path = (end < 0 ? local : local.slice(0, end)).replace(/(?<=.)\/$/, '')
  const query = end < 0 ? '' : local.slice(end)
  return {
    ...{ method, query, path: path.includes('%') ? decodePath(path) : path },
    hasLargeBody: bodyOf(req) === 'unknown-length' || Number(headers['content-length']) > LARGE_BODY,
  }
}

function decodePath(path: string): string {
  try {
    // A slash that was encoded is part of a name.
    return path.replace(/[^/]+/g, (part) => decodeURIComponent(part).replaceAll('/', '-'))
  } catch {
    return path
  }
}

const startsProgram = ({ method = '', path }: AskedRequest): boolean =>
  CLIENT_OF_GIT.test(path) || (STARTS_GIT[method]?.test(path) ?? false)

const reads = ({ method }: AskedRequest): boolean => method === 'GET' || method === 'HEAD'

/** Known by its head to cost much: the files of a large deployment, and whatever has to be read from so much text. */
const isLarge = (asked: AskedRequest): boolean =>
  reads(asked) ? TREE.test(asked.path) : asked.hasLargeBody && !isUpload(asked) && !isBatch(asked)

const isUpload = ({ method, path }: AskedRequest): boolean => method === 'POST' && UPLOAD.test(path)
const isBatch = ({ method, path }: AskedRequest): boolean => method === 'POST' && BATCH.test(path)

/** Of a small upload the most is the commit at its end, during which nobody else is answered. */
const isStream = (asked: AskedRequest): boolean =>
  CHANGES.test(asked.path) ||
  (isUpload(asked) && asked.hasLargeBody) ||
  (LOG.test(asked.path) && FOLLOWS.test(asked.query))

/** What may take long, and is not worth a second process where nobody else is there. */
const isHeavy = (asked: AskedRequest): boolean =>
  LOG.test(asked.path) || (reads(asked) && FILE.test(asked.path)) || (isBatch(asked) && asked.hasLargeBody)

interface WorkingRequests {
  /** Whether a request of the API is answered by another process than the one that shows sites to people. */
  isElsewhere(req: AnyRequest): boolean
  /** Somebody visits a site, at this time by `performance.now`. */
  noteVisit(at: number): void
  /** Whether anybody has within the last second or two. */
  isVisited(): boolean
  /** A request of the API is answered here from now on. What it takes of this turn of the event loop counts. */
  noteAnswer(req: AnyRequest): void
}

interface WorkingRequestsParts {
  readonly now?: () => number
  /** Milliseconds of CPU time of this thread. */
  readonly spent?: () => number
  /** Has something done when this turn of the event loop is over. */
  readonly later?: (work: () => void) => void
}

const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Of one caller, within a second. */
interface Use {
  count: number
  ms: number
}

const isMuch = (use: Use | undefined): boolean => use !== undefined && (use.count > BUSY || use.ms > BUSY_MS)

/** By which those are told apart who ask from one address. Nobody has looked yet whether it is true. */
const claimOf = ({ headers }: AnyRequest): string | undefined => headers.authorization ?? headers.cookie

export const sourceOfRequest = (req: AnyRequest): string => sourceOf(senderOf(req).address)

/** Strangers may send the same cookie, or a token that is none: what one of them does is no matter of another's. */
export function callerOf(req: AnyRequest): string {
  const claim = claimOf(req)
  return claim === undefined ? sourceOfRequest(req) : `${sourceOfRequest(req)} ${claim}`
}

/**
 * The API and the sites share a process, which does one thing after the other. Requests that take long, and those that
 * programs are started for, are answered by the working process instead. While others visit sites, so are reads of logs,
 * analytics and files of deployments, batches of files, and all requests of a caller who sends one after the other, or takes much of the CPU with a few: visitors wait
 * for none of them.
 */
export function createWorkingRequests({
  now = () => performance.now(),
  spent = cpuTime,
  later = (work) => void setImmediate(work),
}: WorkingRequestsParts = {}): WorkingRequests {
  let began = now()
  let visits = { before: 0, here: 0 }
  let callers = { before: new Map<string, Use>(), here: new Map<string, Use>() }
  /** Of each source. */
  let claims = new Map<string, Set<string>>()

  /** Counts of this second and of the one before. */
  function beginSecond(at: number): void {
    const passed = at - began
    if (passed < SECOND) return
    const isNext = passed < 2 * SECOND
    visits = { before: isNext ? visits.here : 0, here: 0 }
    callers = { before: isNext ? callers.here : new Map(), here: new Map() }
    claims = new Map()
    began = at
  }

  /** Whom a request counts for: all who are one too many at their source count as one. */
  function countedFor(req: AnyRequest): string {
    const [source, claim] = [sourceOfRequest(req), claimOf(req)]
    if (claim === undefined) return source
    const theirs = claims.get(source) ?? new Set()
    if (!theirs.has(claim) && theirs.size >= MOST_CALLERS) return source
    claims.set(source, theirs.add(claim))
    return callerOf(req)
  }

  function countsOf(caller: string): Use {
    let use = callers.here.get(caller)
    if (use === undefined) {
      use = { count: 0, ms: 0 }
      callers.here.set(caller, use)
    }
    return use
  }

  function isVisited(): boolean {
    beginSecond(now())
    return visits.before + visits.here > 0
  }

  return {
    isElsewhere(req) {
      const isShared = isVisited()
      const caller = countedFor(req)
      const use = countsOf(caller)
      use.count++
      const asked = readAsked(req)
      if (isLarge(asked) || startsProgram(asked)) return true
      if (!isShared || isStream(asked)) return false
      return isHeavy(asked) || isMuch(use) || isMuch(callers.before.get(caller))
    },
    isVisited,
    noteVisit(at) {
      beginSecond(at)
      visits.here++
    },
    noteAnswer(req) {
      if (!isVisited()) return
      const since = spent()
      const caller = countedFor(req)
      later(() => {
        countsOf(caller).ms += spent() - since
      })
    },
  }
}
