import { createHash } from 'node:crypto'
import { MINUTE } from '#contract/time.ts'
import type { Prerender } from '#core/output/output.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { encodeRouteMatches } from '#core/routing/match/route-matches.ts'
import { isSameSecret } from '#core/same-secret.ts'
import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import { headerOf, type Question, textOf, valueIn } from '../answer.ts'
import type { AnswerMemory } from '../answer-memory.ts'
import { isDecidedByRules, keptOf, laidOf } from '../cache/kept-headers.ts'
import { type CacheStatus, cacheHeader, FRAMING, marked, shownForm } from '../cache/shown-form.ts'
import type { Exchange, Result } from '../exchange.ts'
import { formNameOf } from '../file/compress-answer.ts'
import type { ContentStore } from '../file/content-store.ts'
import { createFileAnswer, DEFAULT_CACHING, siteHeaders } from '../file/file-answer.ts'
import { staticAnswer } from '../file/static-answer.ts'
import { functionAnswer, toAnswer } from '../function/function-answer.ts'
import type { Functions } from '../function/function-call.ts'
import { laidOver } from '../function/function-headers.ts'
import { type FunctionOutcome, sharedCall, urlOf } from '../function/function-request.ts'
import { canonicalVisitor, type PublicAddress } from './canonical-visitor.ts'
import { partialAnswer, readPartialPage } from './partial-page.ts'
import { type Generation, generate } from './prerender-generate.ts'
import { allowedQuery } from './prerender-key.ts'
import {
  type AnswerForms,
  briefOf,
  type CachedAnswer,
  formIn,
  formsOf,
  nameOf,
  type PrerenderMemory,
} from './prerender-memory.ts'
import type { Revalidations } from './revalidations.ts'

interface PrerenderOptions {
  readonly functions: Functions
  readonly memory: PrerenderMemory
  readonly revalidations: Revalidations
  /** What answers hold until they can be kept. */
  readonly held: AnswerMemory
  readonly contents: ContentStore
  readonly address: PublicAddress
  readonly clock: Clock
  readonly log: Log
}

interface Visit {
  readonly site: Site
  readonly outcome: FunctionOutcome
  readonly prerender: Prerender
  readonly key: PrerenderKey
  readonly exchange: Exchange
}

/** Of an answer that is to be made. */
interface PrerenderRequest {
  /** By which the function is told that it was asked for. */
  readonly token?: string | undefined
  /** One that was begun before is not good enough. */
  readonly after?: number
}

/** After a failure the old answer is good for a while. */
const RETRY_MS = 10_000
/** Clocks of machines are never quite the same. */
const SKEW_MS = MINUTE
const MAX_UNFIT = 10_000

/** Answers of functions that are made once and given to all visitors, and made anew when they are old. */
export function createPrerenderAnswer({
  functions,
  memory,
  revalidations,
  held,
  contents,
  address,
  clock,
  log,
}: PrerenderOptions) {
  const generations = new Map<string, { readonly at: number; readonly made: Promise<Generation> }>()
  /** What turned out not to be for everyone, with the time until which it is not tried again. */
  const unfit = new Map<string, number>()

  /** Makes the answer, once for all who want it. */
  function make(visit: Visit, { token, after = 0 }: PrerenderRequest = {}): Promise<Generation> {
    const name = nameOf(visit.key)
    const running = generations.get(name)
    if (running !== undefined && running.at >= after && token === undefined) return running.made
    const at = clock.now()
    const made = makeNow(visit, token).finally(() => {
      if (generations.get(name)?.made === made) generations.delete(name)
    })
    generations.set(name, { at, made })
    return made
  }

  async function makeNow(visit: Visit, token: string | undefined): Promise<Generation> {
    const { site, outcome, prerender, key, exchange } = visit
    const { asked, target, routeMatches } = outcome
    // Without what rules put into the request, which may be of the visitor's headers.
    const extra = new Map<string, string>()
    // To Next.js this is the sign that an answer for everyone is wanted, and so nobody else may be sent it.
    if (routeMatches !== undefined) extra.set('x-now-route-matches', encodeRouteMatches(routeMatches))
    if (token !== undefined) extra.set('x-prerender-revalidate', token)
    const url = prerender.passQuery ? urlOf(asked, key.query) : urlOf(asked, '')
    const call = sharedCall(site, target, url, canonicalVisitor(site, address, exchange.id), extra)
    const mine = held.hold(site.ownerId)
    try {
      const generation = await generate(functions, call, prerender, mine, () => clock.now())
      if (generation.kind === 'made') await memory.put(key, generation.entry)
      if (generation.kind === 'unfit') setUnfit(key)
      return generation
    } finally {
      mine.release()
    }
  }

  function setUnfit(key: PrerenderKey): void {
    if (unfit.size >= MAX_UNFIT) unfit.clear()
    unfit.set(briefOf(nameOf(key)), clock.monotonic() + RETRY_MS)
  }

  /** Makes the answer anew while the old one is served. */
  function renew(visit: Visit, kept: CachedAnswer): void {
    if (clock.monotonic() < kept.retryAt || generations.has(nameOf(visit.key))) return
    kept.retryAt = clock.monotonic() + RETRY_MS
    make(visit)
      .then((generation) => (generation.kind === 'made' ? ageGroup(visit) : undefined))
      .catch((error: unknown) => log.warn({ err: error }, 'a response could not be revalidated'))
  }

  /** What belongs together with an answer that is new is old from now on. */
  async function ageGroup({ site, prerender, key, outcome }: Visit): Promise<void> {
    if (prerender.group === undefined) return
    for (const fn of site.functions.values()) {
      const sibling = fn.prerender
      if (fn === outcome.target || sibling?.group !== prerender.group) continue
      await age({ ...key, path: fn.path, query: allowedQuery(key.query, sibling) }, sibling)
    }
  }

  /** Has an answer made anew by who asks for it next. */
  async function age(key: PrerenderKey, prerender: Prerender): Promise<void> {
    const { entry } = await memory.get(key)
    const old = entry ?? (await fallbackEntry(prerender))
    if (old !== undefined) await memory.put(key, { ...old, generatedAt: 0, expiration: 0 })
  }

  async function fallbackEntry({ fallback, ...prerender }: Prerender): Promise<PrerenderEntry | undefined> {
    const body = fallback && (await contents.load(fallback, 'identity'))?.bytes
    if (fallback === undefined || body === undefined) return undefined
    const tags = prerender.initialHeaders?.[TAGS]
    const headers = [
      ...[...initialHeaders({ fallback, ...prerender })].flat(),
      ...(tags === undefined ? [] : [TAGS, tags]),
    ]
    return { status: prerender.initialStatus ?? 200, headers, body, generatedAt: 0, expiration: 0 }
  }

  function answerKept(visit: Visit, kept: CachedAnswer): Result | Promise<Result> {
    const { entry } = kept
    if (entry === undefined) return answerAbsent(visit, kept)
    const tagged = taggedState(visit, valueIn(entry.headers, TAGS), entry.generatedAt)
    if (tagged?.kind === 'expired')
      return answerRevalidated(visit, tagged.at, () => entryAnswer(visit, entry, 'STALE', kept.forms))
    const isYoung = entry.expiration === false || isWithin(entry.generatedAt, entry.expiration * 1000)
    const isFresh = isYoung && tagged === undefined
    if (!isFresh) renew(visit, kept)
    return entryAnswer(visit, entry, isFresh ? 'HIT' : 'STALE', kept.forms)
  }

  /** Not what was made in the future either: the clock was ahead then, and it would stay young for as long as that. */
  function isWithin(madeAt: number, ms: number): boolean {
    const age = clock.now() - madeAt
    return age > -SKEW_MS && age < ms
  }

  /**
   * Whether the build made this very page, and lately enough. With a query that counts it made one that stands in for
   * many, until the one that was asked for is there.
   */
  function isFreshFromBuild({ site, prerender, key }: Visit): boolean {
    const { expiration } = prerender
    if (expiration === false) return true
    return key.query === '' && site.builtAt !== undefined && isWithin(site.builtAt, expiration * 1000)
  }

  /** From the build, or made now. */
  async function answerAbsent(visit: Visit, kept: CachedAnswer): Promise<Result> {
    const { prerender } = visit
    const { fallback } = prerender
    if (fallback === undefined) {
      const isUnfit = clock.monotonic() < (unfit.get(briefOf(nameOf(visit.key))) ?? 0)
      return answerMade(visit, 'MISS', isUnfit ? { kind: 'unfit' } : await make(visit))
    }
    const tagged = taggedState(visit, prerender.initialHeaders?.[TAGS], 0)
    if (tagged?.kind === 'expired')
      return answerRevalidated(visit, tagged.at, () => answerFallback(visit, fallback))
    if (tagged !== undefined || !isFreshFromBuild(visit)) renew(visit, kept)
    return answerFallback(visit, fallback)
  }

  /** With what the build left. */
  function answerFallback(
    visit: Visit,
    fallback: NonNullable<Prerender['fallback']>,
  ): Result | Promise<Result> {
    const { site, outcome, prerender, exchange } = visit
    if (prerender.chain !== undefined)
      return fallbackEntry(prerender).then((entry) =>
        entry === undefined
          ? functionAnswer(functions, site, outcome, exchange)
          : entryAnswer(visit, entry, 'PRERENDER', new Map()),
      )
    const headers = new Map([...outcome.headers, ...initialHeaders(prerender), cacheHeader('PRERENDER')])
    const found = { target: fallback, foundAt: `/${outcome.target.path}` }
    const answer = createFileAnswer(site, found, outcome.status ?? prerender.initialStatus ?? 200, headers)
    return staticAnswer(answer, exchange.question, contents)
  }

  const taggedState = ({ key }: Visit, tags: string | undefined, madeAt: number) =>
    revalidations.stateOf(key.deploymentId, tags, madeAt)

  /** Made now, since what there is was revalidated; only a failure makes the old answer good enough. */
  async function answerRevalidated(
    visit: Visit,
    after: number,
    old: () => Result | Promise<Result>,
  ): Promise<Result> {
    const generation = await make(visit, { after })
    const hasFailed = generation.kind === 'refused' || generation.kind === 'failed'
    return hasFailed ? old() : answerMade(visit, 'REVALIDATED', generation)
  }

  async function answerMade(visit: Visit, from: CacheStatus, generation: Generation): Promise<Result> {
    const { site, outcome, exchange } = visit
    if (generation.isCold === true) exchange.isCold = true
    switch (generation.kind) {
      case 'refused':
        exchange.failure = generation.refusal
        return generation.refusal
      case 'unfit':
        return functionAnswer(functions, site, outcome, exchange)
      default:
        return entryAnswer(visit, generation.entry, from, formsOf(generation.entry))
    }
  }

  async function entryAnswer(
    visit: Visit,
    entry: PrerenderEntry,
    from: CacheStatus,
    forms: AnswerForms,
  ): Promise<Result> {
    const { site, outcome, exchange } = visit
    const { question } = exchange
    const { chain } = visit.prerender
    const partial = chain && readPartialPage(entry)
    if (chain && partial) {
      const shown = { status: entry.status, headers: sharedHeaders(entry) }
      return markedResult(await partialAnswer(functions, { ...visit, chain }, shown, partial), from)
    }
    const kept = keptOf(outcome)
    const name = `${formNameOf(question)} ${shownBy(site, kept)}`
    const form = await formIn(isDecidedByRules(outcome) ? new Map() : forms, name, () => {
      const response = { status: entry.status, headers: sharedHeaders(entry), body: entry.body }
      return toAnswer(site, kept, response, { question })
    })
    const age =
      entry.generatedAt === 0 ? 0 : Math.max(0, Math.floor((clock.now() - entry.generatedAt) / 1000))
    const shown = shownForm(form, from, age, question)
    return { ...shown, headers: laidOver(shown.headers, laidOf(outcome)) }
  }

  return (site: Site, outcome: FunctionOutcome, exchange: Exchange): Result | Promise<Result> => {
    const { prerender } = outcome.target
    const { method } = exchange.question
    const isRead =
      (method === 'GET' || method === 'HEAD') && exchange.upgrade === undefined && !outcome.isPage
    if (prerender === undefined || !isRead) return functionAnswer(functions, site, outcome, exchange)
    const query = allowedQuery(outcome.query, prerender)
    const key = { deploymentId: site.deploymentId, path: outcome.target.path, query }
    const visit: Visit = { site, outcome, prerender, key, exchange }
    const bypass = bypassOf(exchange.question, prerender)
    if (bypass === 'cookie')
      return functionAnswer(functions, site, outcome, exchange).then((result) =>
        markedResult(result, 'BYPASS'),
      )
    if (bypass === 'header') return renewNow(visit)
    return andThen(revalidations.pending(site.deploymentId), () =>
      andThen(memory.get(key), (kept) => answerKept(visit, kept)),
    )
  }

  async function renewNow(visit: Visit): Promise<Result> {
    const generation = await make(visit, { token: visit.prerender.bypassToken })
    if (generation.kind === 'made') {
      await ageGroup(visit)
      revalidations.tell(visit.key.deploymentId)
    } else if (generation.kind === 'unfit' && generation.lacksRoom) {
      // Whoever asked for it does not ask again, and some answers never grow old by themselves.
      await age(visit.key, visit.prerender)
      revalidations.tell(visit.key.deploymentId)
    }
    return answerMade(visit, 'REVALIDATED', generation)
  }
}

/** What the host and the routes put into a form of an answer, which is the same at all hosts of a deployment. */
const shownBy = (site: Site, { status, headers }: FunctionOutcome): string =>
  JSON.stringify([status, siteHeaders(site), [...headers]])

const markedResult = (result: Result, from: CacheStatus): Result =>
  'code' in result ? result : marked(result, from)

const BYPASS_COOKIE = '__prerender_bypass='

/** How a visitor shows that he may see what is not for everyone. */
function bypassOf(question: Question, { bypassToken }: Prerender): 'header' | 'cookie' | undefined {
  if (bypassToken === undefined || bypassToken === '') return undefined
  const asked = headerOf(question, 'x-prerender-revalidate')
  if (asked !== undefined && isSameSecret(asked, bypassToken)) return 'header'
  const cookies =
    headerOf(question, 'cookie')
      ?.split(';')
      .map((cookie) => cookie.trim()) ?? []
  const sent = cookies.find((cookie) => cookie.startsWith(BYPASS_COOKIE))?.slice(BYPASS_COOKIE.length)
  return sent !== undefined && isSameSecret(sent, bypassToken) ? 'cookie' : undefined
}

/** By which an answer can be revalidated. */
const TAGS = 'x-next-cache-tags'
/** Meant for the platform alone. */
const INTERNAL = new Set([TAGS, 'x-nextjs-cache', 'x-vercel-cache', 'age'])

function initialHeaders({ initialHeaders: given = {}, fallback }: Prerender): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  if (fallback?.contentType !== undefined) headers.set('content-type', fallback.contentType)
  for (const [name, value] of Object.entries(given))
    if (!INTERNAL.has(name.toLowerCase())) headers.set(name.toLowerCase(), value)
  headers.set('cache-control', visitorCaching(headers.get('cache-control')))
  return headers
}

/** How long we keep an answer is no concern of the visitor, who asks each time whether it is still right. */
const visitorCaching = (given: string | undefined): string =>
  given === undefined || /\bs-maxage\b/i.test(given) ? DEFAULT_CACHING : given

/** The headers that are the same for all visitors, with a tag to tell the answer by. */
function sharedHeaders({ headers, body }: PrerenderEntry): readonly string[] {
  const shared: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    if (INTERNAL.has(name) || name === 'cache-control' || FRAMING.has(name)) continue
    shared.push(name, value)
  }
  shared.push('cache-control', visitorCaching(textOf(headers, 'cache-control')))
  shared.push('content-length', String(body.length))
  if (valueIn(shared, 'etag') === undefined)
    shared.push('etag', `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`)
  return shared
}
