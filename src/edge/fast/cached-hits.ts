import type { ImageConfig } from '#core/output/image-config.ts'
import type { Site } from '#core/site/site.ts'
import { type Answer, headerOf, type Question } from '../answer.ts'
import { keyOf } from '../cache/cache-key.ts'
import { type CacheHit, type CacheRequest, type EdgeCache, mayAsk } from '../cache/edge-cache.ts'
import { keptOf, type LaidWords, laidOf } from '../cache/kept-headers.ts'
import { shownForm } from '../cache/shown-form.ts'
import { sourceOf } from '../function/function-answer.ts'
import { laidOver } from '../function/function-headers.ts'
import { type FunctionOutcome, urlOf } from '../function/function-request.ts'
import { ownCookies } from '../function/own-cookies.ts'
import { askedImage, IMAGE_HEADERS } from '../image/image-answer.ts'
import { readImageRequest } from '../image/image-request.ts'
import type { Moment } from '../moment.ts'
import { type CachePlace, placeOf } from '../prerender/prerender-memory.ts'
import type { HeaderBlock } from '../request/request-head.ts'
import type { Http2Head } from './http2/http2-head.ts'
import type { WirePlace, Wires } from './wires.ts'

/** An answer that is kept for everybody, as one visitor gets it. It is the same for a second: then it is older. */
export interface CachedHit {
  readonly answer: Answer
  readonly age: number
  readonly more: MoreHeaders
  kept: CacheHit['kept']
  known: CacheHit['known']
  /** All lines of the head that are the same each time, once they are known. */
  head: string | undefined
  /** Where the whole answer is kept, once there was need for it. */
  place: WirePlace | undefined
  /** The head of an answer over HTTP/2, once it was asked for. */
  http2Head: Http2Head | 'unfit' | undefined
}

/** What comes on top of what is kept; it is the same for everybody who asks in this way. */
interface MoreHeaders {
  readonly own: readonly string[]
  readonly laid: LaidWords | undefined
  /** Which tells it from others. */
  readonly name: string
}

const NO_MORE: MoreHeaders = { own: [], laid: undefined, name: '' }
const MORE_OF_IMAGE: MoreHeaders = { ...NO_MORE, own: IMAGE_HEADERS }

function moreOf(outcome: FunctionOutcome): MoreHeaders {
  const laid = laidOf(outcome)
  return laid.headers.size === 0 ? NO_MORE : { own: [], laid, name: JSON.stringify([...laid.headers]) }
}

/** Where a kept answer would be, for one visitor. To work that out takes as long as to answer. */
export interface CacheLookup {
  readonly place: CachePlace
  readonly request: Pick<CacheRequest, 'question' | 'source' | 'entrypoint'>
  readonly more: MoreHeaders
  /** To be remembered for all connections once it was found. */
  readonly image?: FoundImage & { readonly name: string; isRemembered: boolean }
  /** What was found before, for as long as it is kept: a connection that is idle must not have it stay in memory. */
  last: WeakRef<CachedHit> | undefined
}

/** A promise is of what has to be there first; undefined leaves the request to those who look closer. */
export type FoundHit = CachedHit | Promise<unknown> | undefined

const MOST_IMAGES = 200
const LONGEST_IMAGE = 1024

const FOR_ANYBODY: Question = { method: 'GET', headers: {} }

/** Finds kept answers of functions and of images, by the same keys as those who make them. */
export class CachedHits {
  readonly #cache: EdgeCache
  readonly #wires: Wires
  /** By the form of the kept answer that they show. */
  readonly #hits = new WeakMap<Answer, CachedHit>()
  /** Where images are kept, by what was asked for: reading that takes longer than answering. */
  readonly #images = new WeakMap<Site, Map<string, FoundImage>>()

  constructor(cache: EdgeCache, wires: Wires) {
    this.#cache = cache
    this.#wires = wires
  }

  /** Whether a function has ever let an answer be kept. */
  mayHave(site: Site, outcome: FunctionOutcome): boolean {
    return this.#cache.isCached(site, outcome.target.path)
  }

  /** Where an answer of a function would be; undefined where none may be kept for this visitor. */
  lookUp(
    site: Site,
    outcome: FunctionOutcome,
    scheme: string,
    { authority, question }: Pick<HeaderBlock, 'authority' | 'question'>,
  ): CacheLookup | undefined {
    if (site.keepsAnswers === false || !mayAsk(question)) return undefined
    // Whether they change the request is for others to find out.
    if (outcome.transforms !== undefined) return undefined
    const url = urlOf(outcome.asked, outcome.query)
    const said = keptOf(outcome)
    const key = keyOf({ site, by: outcome.target.path, url, scheme, authority, said, question })
    const request = { question, source: sourceOf(outcome.target), entrypoint: outcome.target.path }
    return { place: placeOf(key), request, more: moreOf(outcome), last: undefined }
  }

  /** Where an image in the size and format that the visitor wants would be. */
  lookUpImage(site: Site, config: ImageConfig, query: string, question: Question): CacheLookup | undefined {
    const name = `${query} ${headerOf(question, 'accept') ?? ''}`
    const known = this.#images.get(site)?.get(name)
    const image = known ?? readImage(site, config, query, question)
    if (image === undefined) return undefined
    // Nothing else of a visitor matters to an image.
    const tag = headerOf(question, 'if-none-match')
    const asked = tag === undefined ? FOR_ANYBODY : { method: 'GET', headers: { 'if-none-match': tag } }
    const request = { question: asked, source: 'static', entrypoint: image.url } as const
    const isNew = known === undefined && name.length <= LONGEST_IMAGE
    return {
      place: image.place,
      request,
      more: MORE_OF_IMAGE,
      last: undefined,
      ...(isNew ? { image: { name, ...image, isRemembered: false } } : {}),
    }
  }

  find(site: Site, lookup: CacheLookup, moment: Moment): FoundHit {
    const last = lookup.last?.deref()
    if (last !== undefined && this.#cache.isStill(last, moment)) return last
    const { place, request, more, image } = lookup
    const found = this.#hitOf(site, this.#cache.peek(place, request, moment), request.question, more)
    // Whether a visitor has it already is to be looked at each time.
    const isForAll = request.question.headers['if-none-match'] === undefined
    const isLasting = isForAll && found !== undefined && !(found instanceof Promise)
    lookup.last = isLasting ? new WeakRef(found) : undefined
    if (image !== undefined && !image.isRemembered && found !== undefined && !(found instanceof Promise)) {
      image.isRemembered = true
      this.#remember(site, image)
    }
    return found
  }

  #remember(site: Site, { name, url, place }: FoundImage & { readonly name: string }): void {
    const images = this.#images.get(site) ?? new Map<string, FoundImage>()
    if (images.size >= MOST_IMAGES) images.clear()
    this.#images.set(site, images.set(name, { url, place }))
  }

  #hitOf(
    site: Site,
    found: CacheHit | Promise<unknown> | undefined,
    question: Question,
    more: MoreHeaders,
  ): FoundHit {
    if (found === undefined || found instanceof Promise) return found
    const { form, age } = found
    if (question.headers['if-none-match'] !== undefined) {
      const hit = show(site, found, question, more)
      if (hit.answer.status === 304) return hit
    }
    const last = this.#hits.get(form)
    if (last?.age === age && last.more.name === more.name) {
      last.kept = found.kept
      last.known = found.known
      return last
    }
    if (last?.place !== undefined) this.#wires.drop(last.place)
    const hit = show(site, found, FOR_ANYBODY, more)
    this.#hits.set(form, hit)
    return hit
  }
}

function show(site: Site, hit: CacheHit, question: Question, more: MoreHeaders): CachedHit {
  const { form, age, kept, known } = hit
  const shown = shownForm(form, 'HIT', age, question)
  const own = [...shown.headers, ...more.own]
  const headers = ownCookies(more.laid === undefined ? own : laidOver(own, more.laid), site)
  return {
    ...{ answer: { ...shown, headers }, age, more, kept, known },
    ...{ head: undefined, place: undefined, http2Head: undefined },
  }
}

interface FoundImage {
  readonly url: string
  readonly place: CachePlace
}

function readImage(
  site: Site,
  config: ImageConfig,
  query: string,
  question: Question,
): FoundImage | undefined {
  const asked = readImageRequest(query, config)
  if ('problem' in asked) return undefined
  return { url: asked.url, place: placeOf(keyOf(askedImage(site, config, asked, question))) }
}
