import { createHash } from 'node:crypto'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import type { Site } from '#core/site/site.ts'
import { andThen } from '../and-then.ts'
import { type Answer, headerOf, type Question, textOf } from '../answer.ts'
import type { AnswerMemory } from '../answer-memory.ts'
import type { Exchange, Result } from '../exchange.ts'
import { compressAnswer, formNameOf } from '../file/compress-answer.ts'
import type { Moment } from '../moment.ts'
import {
  type AnswerForms,
  briefOf,
  type CachedAnswer,
  type CachePlace,
  formIn,
  formsOf,
  nameOf,
  type PrerenderMemory,
} from '../prerender/prerender-memory.ts'
import type { KnownTags, Revalidations } from '../prerender/revalidations.ts'
import { bodyOf } from '../request/request-body.ts'
import { type CacheKeyParts, keyOf, markOf, pathTag, variantOf, varyNames } from './cache-key.ts'
import { type CachePolicy, policyOf, policyOfCopy, shownHeaders, tagsOf } from './cache-policy.ts'
import { type CacheStatus, cacheHeader, FRAMING, marked, shownForm } from './shown-form.ts'
import { tee } from './tee.ts'

/** A request whose answer may be kept, and the two ways to have one made. Both answer without any encoding of ours. */
export interface CacheRequest extends CacheKeyParts {
  /** For this visitor. */
  readonly make: () => Promise<Result>
  /** For nobody in particular. */
  readonly makeForAll: () => Promise<Result>
  /** Something of this visitor may be in the request or the answer that is not in the key: it is theirs alone, and what is kept is for others. */
  readonly isPersonal: boolean
  readonly source: Answer['source']
  readonly entrypoint: string
}

interface CacheOptions {
  readonly memory: PrerenderMemory
  readonly revalidations: Revalidations
  /** What answers hold until they can be kept. */
  readonly held: AnswerMemory
  readonly clock: Clock
  readonly log: Log
}

const MAX_BYTES = 8 * 1024 * 1024
/** What turned out not to be for everybody is not waited for again for so long. */
const UNFIT_MS = 10_000
const MAX_UNFIT = 10_000
/** Of one site: routes may make addresses elsewhere out of what visitors ask for. */
const MAX_MAKERS = 1000
/** Headers of a kept answer that are ours. */
const [STALE_FOR, VARY, TAGS] = ['x-aloft-stale-for', 'x-aloft-vary', 'x-aloft-tags'] as const
const INTERNAL: ReadonlySet<string> = new Set([STALE_FOR, VARY, TAGS])

/** Without what a visitor would rather have it compressed by: what is kept is kept as it is. */
export const plainQuestion = ({ method, headers }: Question): Question => ({
  method,
  headers: { ...headers, 'accept-encoding': undefined },
})

/**
 * Answers of functions and of rewrites to elsewhere that say of themselves that they may be given to everybody for a
 * while. Nothing is looked up for a function that has never said so.
 */
export class EdgeCache {
  readonly #options: CacheOptions
  /** Of each site, whether a function or an address elsewhere has let an answer be kept, as far as that was looked up. */
  readonly #makers = new WeakMap<Site, Map<string, boolean>>()
  readonly #underWay = new Map<string, Promise<PrerenderEntry | undefined>>()
  /** Of those, what nothing came of because its visitor left. */
  readonly #left = new WeakSet<Promise<PrerenderEntry | undefined>>()
  readonly #unfit = new Map<string, number>()

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /** Whether a function, or an address elsewhere, has ever let an answer be kept. */
  isCached(site: Site, by: string): boolean {
    return this.#makers.get(site)?.get(briefOf(by)) === true
  }

  note(site: Site, by: string): void {
    if (this.isCached(site, by)) return
    this.#setMaker(site, by, true)
    // Kept answers outlive this process, and so does that there are some.
    const [status, body, generatedAt] = [204, Buffer.alloc(0), this.#options.clock.now()]
    void this.#options.memory.put(markOf(site, by), {
      ...{ status, headers: [], body, generatedAt, expiration: false },
    })
  }

  /** Looks for a kept answer only where there may be one. */
  through(request: CacheRequest): Result | Promise<Result> {
    const { site, by } = request
    const isCached = this.#makers.get(site)?.get(briefOf(by)) ?? this.#wasCached(site, by)
    return andThen(isCached, (is) => (is ? this.answer(request) : this.#first(request)))
  }

  /** Whether one was kept before this process began, or by another one. */
  async #wasCached(site: Site, by: string): Promise<boolean> {
    const { entry } = await this.#options.memory.get(markOf(site, by))
    const isCached = entry !== undefined || this.isCached(site, by)
    this.#setMaker(site, by, isCached)
    return isCached
  }

  #setMaker(site: Site, by: string, isCached: boolean): void {
    const known = this.#makers.get(site) ?? new Map<string, boolean>()
    if (known.size >= MAX_MAKERS) known.clear()
    this.#makers.set(site, known.set(briefOf(by), isCached))
  }

  #first(request: CacheRequest): Promise<Result> {
    const at = this.#options.clock.now()
    return request.make().then((result) => {
      if ('code' in result || 'switched' in result) return result
      if (policyOfCopy(result.status, result.headers) === undefined)
        // What comes from elsewhere goes out as it is.
        return request.source === 'proxy' ? result : compressed(result, request.question)
      this.note(request.site, request.by)
      return this.#offer(request, result, at)
    })
  }

  /**
   * Keeps an answer whose making for a visitor began at a time, if it may be; answers what that visitor gets. What is purged
   * while it is made is purged with it.
   */
  #offer(request: Omit<CacheRequest, 'make'>, answer: Answer, at: number): Answer | Promise<Answer> {
    const { question } = request
    const policy = policyOfCopy(answer.status, answer.headers)
    if (policy === undefined) return compressed(marked(answer, 'MISS'), question)
    const shown = {
      ...marked(answer, 'MISS'),
      headers: [...shownHeaders(answer.headers), ...cacheHeader('MISS')],
    }
    if (answer.status === 304 || !this.#mayKeepFor(request)) {
      // Made for one visitor, or not even sent to one who has it; everybody else gets one that was made for nobody.
      if (question.method === 'GET') void this.#fill(request)
      return compressed(shown, question)
    }
    if (!isRead(question)) return compressed(shown, question)
    const [body, whole] = this.#tee(request, answer, question.from)
    const kept = whole.then((bytes) =>
      bytes === undefined ? undefined : this.#keep(request, { ...answer, body: bytes }, policy, at),
    )
    this.#begin(nameOf(keyOf(request)), kept)
    return compressed({ ...shown, body }, question)
  }

  /** Of a request that `mayShare` agrees to. */
  answer(request: CacheRequest): Result | Promise<Result> {
    const { site, question } = request
    if (isBypassed(question)) return request.make().then((result) => this.#passed(request, result))
    if (request.isPersonal) {
      const at = this.#options.clock.now()
      return request.make().then((result) => this.#finish(request, result, at))
    }
    const pending = this.#options.revalidations.pending(site.deploymentId)
    return pending === undefined ? this.#lookUp(request) : pending.then(() => this.#lookUp(request))
  }

  /**
   * A fresh answer in the form that this visitor wants, if it is in memory. A promise is of what has to be there first, and
   * undefined leaves it to `answer`.
   */
  peek(
    place: CachePlace,
    request: Pick<CacheRequest, 'question' | 'source' | 'entrypoint'>,
    { now, since }: Moment,
  ): CacheHit | Promise<unknown> | undefined {
    if (isBypassed(request.question)) return undefined
    const { revalidations, memory } = this.#options
    const { key } = place
    const found = revalidations.pending(key.deploymentId) ?? memory.at(place, since)
    if (found instanceof Promise) return found
    const { entry } = found
    if (entry === undefined || textOf(entry.headers, VARY) !== undefined) return undefined
    if (this.#stateOf(key, entry, now) !== 'fresh') return undefined
    const form = formOf(request, entry, found.forms)
    if (form instanceof Promise) return form
    const known = revalidations.noneOf(key.deploymentId)
    return { form, age: ageOf(entry, now), kept: found, known }
  }

  /** Whether `peek` would answer the same form at the same age to a request that has got it before. */
  isStill({ kept, known, age }: Omit<CacheHit, 'form'>, { now, since }: Moment): boolean {
    const { entry } = kept
    if (!kept.live || since >= kept.checkAt || known?.isLive !== true) return false
    if (entry === undefined || ageOf(entry, now) !== age || freshness(entry, now) !== 'fresh') return false
    kept.used = true
    return true
  }

  #passed({ question }: CacheRequest, result: Result): Result | Promise<Result> {
    return 'code' in result || 'switched' in result ? result : compressed(marked(result, 'BYPASS'), question)
  }

  async #lookUp(request: CacheRequest): Promise<Result> {
    const key = keyOf(request)
    const found = await this.#find(key, request.question)
    if (found?.entry !== undefined) {
      const { entry } = found
      const state = this.#stateOf(key, entry)
      if (state === 'fresh') return this.#entryAnswer(request, found, 'HIT')
      if (state === 'stale') {
        this.#renew(request, found)
        return this.#entryAnswer(request, found, 'STALE')
      }
      if (state === 'revalidated' && isRead(request.question)) {
        const made = await this.#fill(request)
        // One that was begun before this visitor came may have been purged since.
        if (made !== undefined && this.#stateOf(key, made) !== 'revalidated')
          return this.#made(request, made, 'REVALIDATED')
      }
    }
    return this.#miss(request, nameOf(key))
  }

  async #miss(request: CacheRequest, name: string): Promise<Result> {
    const underWay = this.#isUnfit(name) ? undefined : this.#underWay.get(name)
    if (underWay !== undefined) {
      const entry = await underWay
      if (this.#left.has(underWay)) return this.#miss(request, name)
      // What varies was made for the headers of the first; the others ask for themselves. So do those who came after a purge.
      if (
        entry !== undefined &&
        textOf(entry.headers, VARY) === undefined &&
        this.#stateOf(keyOf(request), entry) !== 'revalidated'
      )
        return this.#made(request, entry, 'MISS')
    }
    // Those who come meanwhile wait until it is known whether this answer is for them too.
    const isLeader = isRead(request.question) && this.#mayKeepFor(request) && !this.#isUnfit(name)
    const at = this.#options.clock.now()
    if (!isLeader) return this.#finish(request, await request.make(), at)
    let settle: (entry: PrerenderEntry | undefined | Promise<PrerenderEntry | undefined>) => void = () => {}
    const promised = new Promise<PrerenderEntry | undefined>((resolve) => {
      settle = resolve
    })
    this.#begin(name, promised)
    try {
      const result = await request.make()
      const policy =
        'code' in result || 'switched' in result ? undefined : policyOf(result.status, result.headers)
      if (policy === undefined) {
        const isOfCopy = 'status' in result && policyOfCopy(result.status, result.headers) !== undefined
        // That says nothing of the answer: one of those who wait asks in their place.
        if ('code' in result && result.code === 'CLIENT_CLOSED_REQUEST') this.#left.add(promised)
        else if (!isOfCopy) this.#setUnfit(name)
        settle(isOfCopy ? this.#fill(request) : undefined)
        return this.#finish(request, result, at)
      }
      const answer = result as Answer
      const [body, whole] = this.#tee(request, answer, request.question.from)
      settle(
        whole.then((bytes) =>
          bytes === undefined ? undefined : this.#keep(request, { ...answer, body: bytes }, policy, at),
        ),
      )
      const headers = [...shownHeaders(answer.headers), ...cacheHeader('MISS')]
      return compressed({ ...answer, headers, body }, request.question)
    } catch (error) {
      settle(undefined)
      throw error
    }
  }

  #finish(request: CacheRequest, result: Result, at: number): Result | Promise<Result> {
    return 'code' in result || 'switched' in result ? result : this.#offer(request, result, at)
  }

  /** `address`: of the visitor who is sent it, if anybody is. */
  #tee({ site }: CacheKeyParts, { body }: Answer, address?: string): ReturnType<typeof tee> {
    return tee(body, MAX_BYTES, this.#options.held.hold(site.ownerId, address))
  }

  #begin(name: string, work: Promise<PrerenderEntry | undefined>): void {
    this.#underWay.set(name, work)
    const over = () => {
      if (this.#underWay.get(name) === work) this.#underWay.delete(name)
    }
    work.then(over, over)
  }

  /** Whether an answer that is made for this visitor is for everybody, if it says so. */
  #mayKeepFor({ isPersonal, question: { headers } }: Pick<CacheRequest, 'isPersonal' | 'question'>): boolean {
    return !isPersonal && headers.cookie === undefined && headers.authorization === undefined
  }

  #isUnfit(name: string): boolean {
    return this.#unfit.size > 0 && this.#options.clock.monotonic() < (this.#unfit.get(briefOf(name)) ?? 0)
  }

  #setUnfit(name: string): void {
    if (this.#unfit.size >= MAX_UNFIT) this.#unfit.clear()
    this.#unfit.set(briefOf(name), this.#options.clock.monotonic() + UNFIT_MS)
  }

  async #find(key: PrerenderKey, asked: Question): Promise<CachedAnswer | undefined> {
    const first = await this.#options.memory.get(key)
    const vary = first.entry && textOf(first.entry.headers, VARY)
    if (vary === undefined || vary === '') return first
    return this.#options.memory.get(variantOf(key, vary.split(','), asked))
  }

  #stateOf(
    { deploymentId }: PrerenderKey,
    entry: PrerenderEntry,
    now = this.#options.clock.now(),
  ): 'fresh' | 'stale' | 'revalidated' | 'old' {
    const { revalidations } = this.#options
    const tagged = revalidations.isAnyOf(deploymentId)
      ? revalidations.stateOf(deploymentId, textOf(entry.headers, TAGS), entry.generatedAt)
      : undefined
    if (tagged?.kind === 'expired') return 'revalidated'
    const state = freshness(entry, now)
    return state === 'fresh' && tagged !== undefined ? 'stale' : state
  }

  #renew(request: CacheRequest, kept: CachedAnswer): void {
    const now = this.#options.clock.monotonic()
    if (now < kept.retryAt) return
    kept.retryAt = now + UNFIT_MS
    void this.#fill(request)
  }

  /** Has the answer made for nobody in particular, once for all who want it. */
  #fill(request: Omit<CacheRequest, 'make'>): Promise<PrerenderEntry | undefined> {
    const name = `${nameOf(keyOf(request))}\nfill`
    const running = this.#underWay.get(name)
    if (running !== undefined) return running
    if (request.isPersonal || this.#isUnfit(name)) return Promise.resolve(undefined)
    const at = this.#options.clock.now()
    const work = request
      .makeForAll()
      .then(async (result) => {
        if ('code' in result || 'switched' in result) return undefined
        const policy = policyOf(result.status, result.headers)
        const [body, whole] = this.#tee(request, result)
        if (body !== undefined && !Buffer.isBuffer(body)) body.resume()
        const bytes = await whole
        if (policy === undefined || bytes === undefined) {
          this.#setUnfit(name)
          return undefined
        }
        const asked = { ...request, question: plainQuestion(request.question) }
        return this.#keep(asked, { ...result, body: bytes }, policy, at)
      })
      .catch((err: unknown) => {
        this.#options.log.warn({ err }, 'a response could not be revalidated')
        return undefined
      })
    this.#begin(name, work)
    return work
  }

  async #keep(
    request: CacheKeyParts,
    answer: Answer & { readonly body: Buffer },
    { maxAge, staleFor }: CachePolicy,
    generatedAt: number,
  ): Promise<PrerenderEntry> {
    const { memory } = this.#options
    const { status, body } = answer
    const key = keyOf(request)
    const isEncoded = textOf(answer.headers, 'content-encoding') !== undefined
    const vary = varyNames(textOf(answer.headers, 'vary'), isEncoded)
    const path = request.url.split('?', 1)[0] ?? ''
    const shown = withoutFraming(shownHeaders(answer.headers))
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
    const headers = [
      ...shown,
      ...(textOf(shown, 'etag') === undefined ? ['etag', tag] : []),
      ...['content-length', String(body.length)],
      ...[STALE_FOR, String(staleFor), TAGS, [...tagsOf(answer.headers), pathTag(path)].join(',')],
    ]
    const entry = { status, headers, body, generatedAt, expiration: maxAge }
    if (vary.length === 0) {
      await memory.put(key, entry)
      return entry
    }
    const pointer = { ...entry, headers: [VARY, vary.join(',')], body: Buffer.alloc(0) }
    await memory.put(variantOf(key, vary, request.question), entry)
    await memory.put(key, pointer)
    return { ...entry, headers: [...headers, VARY, vary.join(',')] }
  }

  #made(request: CacheRequest, entry: PrerenderEntry, where: CacheStatus): Promise<Result> {
    const made = { entry, forms: formsOf(entry) }
    return this.#entryAnswer(request, made, where)
  }

  async #entryAnswer(
    request: CacheRequest,
    { entry, forms }: Pick<CachedAnswer, 'entry' | 'forms'>,
    where: CacheStatus,
  ): Promise<Result> {
    const kept = entry as PrerenderEntry
    const form = await formOf(request, kept, forms)
    return shownForm(form, where, ageOf(kept, this.#options.clock.now()), request.question)
  }
}

/** In seconds. */
const ageOf = ({ generatedAt }: PrerenderEntry, now: number): number =>
  Math.max(0, Math.floor((now - generatedAt) / 1000))

/** As far as time alone decides it. */
function freshness(entry: PrerenderEntry, now: number): 'fresh' | 'stale' | 'old' {
  const age = (now - entry.generatedAt) / 1000
  const maxAge = entry.expiration === false ? Number.POSITIVE_INFINITY : entry.expiration
  // What was made in the future was made by a clock that was ahead.
  if (age < -60) return 'old'
  if (age < maxAge) return 'fresh'
  return age < maxAge + Number(textOf(entry.headers, STALE_FOR) ?? 0) ? 'stale' : 'old'
}

/** A kept answer as a visitor accepts it: compressed or not, which is worked out once for all who accept the same. */
function formOf(
  { question, source, entrypoint }: Pick<CacheRequest, 'question' | 'source' | 'entrypoint'>,
  { status, headers, body }: PrerenderEntry,
  forms: AnswerForms,
): Answer | Promise<Answer> {
  return formIn(forms, formNameOf(question), () => {
    const shown = headers.filter((_, index) => !INTERNAL.has(headers[index - (index % 2)] as string))
    return compressed({ status, headers: shown, body, source, entrypoint }, question)
  })
}

/** One form of a kept answer, and for how many seconds it has been kept. */
export interface CacheHit {
  readonly form: Answer
  readonly age: number
  /** Of which it is a form. */
  readonly kept: CachedAnswer
  /** What was known of revalidations; undefined where it may end by one of them at any time. */
  readonly known: KnownTags | undefined
}

/** Whether a request to a site may be answered with what is kept, or its answer be kept. A body may change any answer. */
export const mayShare = (site: Site, { req, question }: Pick<Exchange, 'req' | 'question'>): boolean =>
  site.keepsAnswers !== false && bodyOf(req) === 'none' && mayAsk(question)

/** The same of one that has no body, as far as it says so itself. */
export const mayAsk = ({ method, headers }: Question): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.authorization === undefined &&
  headers.range === undefined

const isRead = ({ method }: Question): boolean => method === 'GET'

/** A visitor who wants what is behind: draft mode, or a developer. */
function isBypassed(asked: Question): boolean {
  const cookie = headerOf(asked, 'cookie')
  return cookie !== undefined && /(?:^|;\s*)(?:__prerender_bypass=.|_vercel_no_cache=1)/.test(cookie)
}

const compressed = (answer: Answer, asked: Question): Answer | Promise<Answer> =>
  compressAnswer(answer, asked)

const withoutFraming = (headers: readonly string[]): readonly string[] =>
  headers.filter((_, index) => !FRAMING.has(headers[index - (index % 2)] as string))
