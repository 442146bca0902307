import type { AnyRequest } from '#listener/listener-refusal.ts'

/** Bodies of more than this are many files, or lists as long. */
const LARGE_BODY = 128 * 1024
/** Requests of one caller within a second: no person asks so often. */
const BUSY = 20
const SECOND_MS = 1000

const CREATE = /^\/(?:v\d+\/)?platform\/deployments\/?(?:\?|$)/
const TREE = /^\/(?:v\d+\/)?platform\/deployments\/[^/?]+\/files\/?(?:\?|$)/
/** What goes on without an end, or is only passed on: it costs little here, and as much again there. */
const STREAM = /[?&]follow=|\/changes(?:\?|$)|\/files\/?(?:\?|$)/

/** Known by its head to cost much: the files of a large deployment, sent or read. */
export function isLarge({ method, url = '', headers }: AnyRequest): boolean {
  if (method === 'GET') return TREE.test(url)
  if (method !== 'POST' || !CREATE.test(url)) return false
  const length = headers['content-length']
  return length === undefined || Number(length) > LARGE_BODY
}

const isStream = ({ url = '', headers }: AnyRequest): boolean =>
  STREAM.test(url) || (headers.accept ?? '').includes('text/event-stream')

export interface Elsewhere {
  /** Whether a request of the API is answered by another process than the one that shows sites to people. */
  isElsewhere(req: AnyRequest): boolean
  /** Somebody visits a site. */
  noteVisit(): void
}

/**
 * The API and the sites share a process, which does one thing after the other. Requests that take long, and those of a
 * caller who sends one after the other while others visit sites, are answered by the working process instead: visitors
 * wait for none of them.
 */
export function createElsewhere(now: () => number = () => performance.now()): Elsewhere {
  let began = now()
  let visits = { before: 0, here: 0 }
  let callers = { before: new Map<string, number>(), here: new Map<string, number>() }

  /** Counts of this second and of the one before. */
  function turn(): void {
    const passed = now() - began
    if (passed < SECOND_MS) return
    const isNext = passed < 2 * SECOND_MS
    visits = { before: isNext ? visits.here : 0, here: 0 }
    callers = { before: isNext ? callers.here : new Map(), here: new Map() }
    began = now()
  }

  function isBusy(req: AnyRequest): boolean {
    const { headers, socket } = req
    const caller = headers.authorization ?? headers.cookie ?? socket?.remoteAddress ?? ''
    const count = (callers.here.get(caller) ?? 0) + 1
    callers.here.set(caller, count)
    return count > BUSY || (callers.before.get(caller) ?? 0) > BUSY
  }

  return {
    isElsewhere(req) {
      turn()
      const isFromBusy = isBusy(req)
      if (isLarge(req)) return true
      return isFromBusy && visits.before + visits.here > 0 && !isStream(req)
    },
    noteVisit() {
      turn()
      visits.here++
    },
  }
}
