import type { ImageConfig } from '#core/output/image-config.ts'
import type { PrerenderKey } from '#core/ports/prerender-cache.ts'
import type { Site } from '#core/site/site.ts'
import { type Answer, headerOf, type Question } from '../answer.ts'
import { keyOf } from '../cache/cache-key.ts'
import { type CacheHit, type EdgeCache, mayAsk, shownForm } from '../cache/edge-cache.ts'
import { sourceOf } from '../function/function-answer.ts'
import { type FunctionOutcome, urlOf } from '../function/function-request.ts'
import { ownCookies } from '../function/own-cookies.ts'
import { askedImage, IMAGE_HEADERS } from '../image/image-answer.ts'
import { readImageRequest } from '../image/image-request.ts'
import type { WirePlace, Wires } from './wires.ts'

/** An answer that is kept for everybody, as one visitor gets it. It is the same for a second: then it is older. */
export interface KeptHit {
  readonly answer: Answer
  readonly age: number
  /** All lines of the head that are the same each time, once they are known. */
  head: string | undefined
  /** Where the whole answer is kept, once there was need for it. */
  place: WirePlace | undefined
}

/** A promise is of what has to be there first; undefined leaves the request to those who look closer. */
export type FoundHit = KeptHit | Promise<unknown> | undefined

const MOST_IMAGES = 200
const LONGEST_IMAGE = 1024

const FOR_ANYBODY: Question = { method: 'GET', headers: {} }

/** Finds kept answers of functions and of images, by the same keys as those who make them. */
export class KeptHits {
  readonly #cache: EdgeCache
  readonly #wires: Wires
  /** By the form of the kept answer that they show. */
  readonly #hits = new WeakMap<Answer, KeptHit>()
  /** The keys of images that were found, by what was asked for: reading that takes longer than answering. */
  readonly #images = new WeakMap<Site, Map<string, FoundImage>>()

  constructor(cache: EdgeCache, wires: Wires) {
    this.#cache = cache
    this.#wires = wires
  }

  /** Whether a function has ever let an answer be kept. */
  mayHave(site: Site, outcome: FunctionOutcome): boolean {
    return this.#cache.isCached(site, outcome.target.path)
  }

  /** What a function has answered. */
  find(site: Site, outcome: FunctionOutcome, scheme: string, question: Question): FoundHit {
    if (site.keepsAnswers === false || !mayAsk(question)) return undefined
    const url = urlOf(outcome.asked, outcome.query)
    const key = keyOf({ site, by: outcome.target.path, url, scheme, question })
    const request = { question, source: sourceOf(outcome.target), entrypoint: outcome.target.path }
    return this.#hitOf(site, this.#cache.peek(key, request), question, [])
  }

  /** An image in the size and format that the visitor wants. */
  findImage(site: Site, config: ImageConfig, query: string, question: Question): FoundHit {
    const name = `${query} ${headerOf(question, 'accept') ?? ''}`
    const known = this.#images.get(site)?.get(name)
    const image = known ?? readImage(site, config, query, question)
    if (image === undefined) return undefined
    // Nothing else of a visitor matters to an image.
    const tag = headerOf(question, 'if-none-match')
    const asked = tag === undefined ? FOR_ANYBODY : { method: 'GET', headers: { 'if-none-match': tag } }
    const request = { question: asked, source: 'static', entrypoint: image.url } as const
    const found = this.#hitOf(site, this.#cache.peek(image.key, request), asked, IMAGE_HEADERS)
    const isNew = known === undefined && found !== undefined && !(found instanceof Promise)
    if (isNew && name.length <= LONGEST_IMAGE) this.#remember(site, name, image)
    return found
  }

  #remember(site: Site, name: string, image: FoundImage): void {
    const images = this.#images.get(site) ?? new Map<string, FoundImage>()
    if (images.size >= MOST_IMAGES) images.clear()
    this.#images.set(site, images.set(name, image))
  }

  #hitOf(
    site: Site,
    found: CacheHit | Promise<unknown> | undefined,
    question: Question,
    more: readonly string[],
  ): FoundHit {
    if (found === undefined || found instanceof Promise) return found
    const { form, age } = found
    if (question.headers['if-none-match'] !== undefined) {
      const hit = show(site, found, question, more)
      if (hit.answer.status === 304) return hit
    }
    const last = this.#hits.get(form)
    if (last?.age === age) return last
    if (last?.place !== undefined) this.#wires.drop(last.place)
    const hit = show(site, found, FOR_ANYBODY, more)
    this.#hits.set(form, hit)
    return hit
  }
}

function show(site: Site, { form, age }: CacheHit, question: Question, more: readonly string[]): KeptHit {
  const shown = shownForm(form, 'HIT', age, question)
  const headers = ownCookies([...shown.headers, ...more], site)
  return { answer: { ...shown, headers }, age, head: undefined, place: undefined }
}

interface FoundImage {
  readonly url: string
  readonly key: PrerenderKey
}

function readImage(
  site: Site,
  config: ImageConfig,
  query: string,
  question: Question,
): FoundImage | undefined {
  const asked = readImageRequest(query, config)
  if ('problem' in asked) return undefined
  return { url: asked.url, key: keyOf(askedImage(site, config, asked, question)) }
}
