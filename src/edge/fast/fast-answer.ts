import { tagInHand } from '../file/entity-tag.ts'
import type { FileAnswer, Representation } from '../file/file-answer.ts'
import { isOutcome } from '../file/hot-answers.ts'
import { pickRepresentation, prepareRepresentation } from '../file/representation.ts'
import type { FunctionOutcome } from '../function/function-request.ts'
import type { Moment } from '../moment.ts'
import type { HeaderBlock } from '../request/request-head.ts'
import { rawPathOf } from '../request/request-path.ts'
import type { Shared } from '../shared.ts'
import { isImagePath } from '../site/image-target.ts'
import { isPersonal } from '../site/personal.ts'
import type { HotAnswer, SiteEntry } from '../site/site-entry.ts'
import type { CachedHit, CachedHits, CacheLookup, FoundHit } from './cached-hits.ts'
import { isFast } from './fast-call.ts'

/** A GET request without a body, of which everything that was sent is known to us. */
export interface PlainGet {
  readonly target: string
  /** The target without its query. */
  readonly rawPath: string
  readonly query: string
  readonly block: HeaderBlock
  /** Whether it was asked for before, on the same connection: most clients ask for the same again. */
  isRepeated: boolean
  /** Where a kept answer to it was found. */
  kept: { readonly entry: SiteEntry; readonly lookup: CacheLookup } | undefined
  /** Where the file or the function that answers it was found, once it was asked for again. */
  hot: HotAnswer | undefined
}

/** What a request gets without waiting for anybody. */
export type FastAnswer =
  | {
      readonly kind: 'file'
      readonly entry: SiteEntry
      readonly answer: FileAnswer
      readonly representation: Representation
      readonly body: Buffer
    }
  /** The copy of the client, with this tag, is good. */
  | {
      readonly kind: 'unchanged'
      readonly entry: SiteEntry
      readonly answer: FileAnswer
      readonly tag: string
    }
  | { readonly kind: 'kept'; readonly entry: SiteEntry; readonly hit: CachedHit }
  /** Somebody else has to be asked, but nothing else has to be found out. */
  | { readonly kind: 'function'; readonly entry: SiteEntry; readonly outcome: FunctionOutcome }

export interface FastAnswerOptions extends Shared {
  readonly hits: CachedHits
}

/** So often what is missing is waited for: for the site, and for its content. If more is, others know how to say what is wrong. */
export const MAX_WAITS = 2

export const askedFor = (target: string, block: HeaderBlock): PlainGet => {
  const rawPath = rawPathOf(target)
  const query = target.slice(rawPath.length + 1)
  return { target, rawPath, query, block, isRepeated: false, kept: undefined, hot: undefined }
}

/** Otherwise tells why not: a doubt, or something that has to be waited for. */
export function findFastAnswer(
  options: FastAnswerOptions,
  asked: PlainGet,
  scheme: 'http' | 'https',
  moment: Moment,
): FastAnswer | 'doubt' | Promise<unknown> {
  const { sites, hotAnswers, hits } = options
  const { target, rawPath, query, block, hot } = asked
  const { since } = moment
  if (hot?.live === true && sites.isStill(hot.entry, since)) {
    hot.used = true
    const found = isOutcome(hot.found) ? hot.found : hot.found.answer
    return answerBy(options, asked, scheme, moment, hot.entry, found)
  }
  const entry = sites.peek(block.host, since)
  if (entry === undefined) {
    // Only a host that was a site a moment ago: all others may be for somebody else.
    const changed = sites.isChanged(block.host) ? sites.find(block.host, since) : undefined
    return changed instanceof Promise ? changed : 'doubt'
  }
  if (!entry.isPlain) return 'doubt'
  const { site } = entry
  if (asked.kept?.entry === entry) return shown(entry, hits.find(site, asked.kept.lookup, moment))
  if (site.images !== undefined && isImagePath(entry, rawPath))
    return findKept(hits, asked, entry, hits.lookUpImage(site, site.images, query, block.question), moment)
  if (isPersonal(entry, target.length > rawPath.length, block)) return 'doubt'
  const answer = hotAnswers.findAny(entry, rawPath, query)
  if (answer === undefined) return 'doubt'
  if (asked.isRepeated) asked.hot = hotAnswers.placeOf(entry, rawPath, query)
  return answerBy(options, asked, scheme, moment, entry, answer)
}

/** By a file, or the function, that the routes of the site lead to. */
function answerBy(
  { hits, contents }: FastAnswerOptions,
  asked: PlainGet,
  scheme: 'http' | 'https',
  moment: Moment,
  entry: SiteEntry,
  answer: FileAnswer | FunctionOutcome,
): FastAnswer | 'doubt' | Promise<unknown> {
  const { block, kept } = asked
  const { site } = entry
  if ('kind' in answer) {
    if (!isFast(answer.target)) return 'doubt'
    if (!hits.mayHave(site, answer)) return { kind: 'function', entry, outcome: answer }
    if (kept?.entry === entry) return shown(entry, hits.find(site, kept.lookup, moment))
    return findKept(hits, asked, entry, hits.lookUp(site, answer, scheme, block), moment)
  }
  if (block.ifNoneMatch !== undefined) {
    const tag = tagInHand(block.ifNoneMatch, answer.file.sha256, block.accepted)
    if (tag !== undefined) return { kind: 'unchanged', entry, answer, tag }
  }
  const ready = pickRepresentation(answer, block.accepted)
  if (ready?.content?.bytes !== undefined)
    return { kind: 'file', entry, answer, representation: ready, body: ready.content.bytes }
  const prepared = prepareRepresentation(answer, block.accepted, contents)
  return prepared instanceof Promise ? prepared : 'doubt'
}

function findKept(
  hits: CachedHits,
  asked: PlainGet,
  entry: SiteEntry,
  lookup: CacheLookup | undefined,
  moment: Moment,
): FastAnswer | 'doubt' | Promise<unknown> {
  if (lookup === undefined) return 'doubt'
  const found = hits.find(entry.site, lookup, moment)
  if (found !== undefined) asked.kept = { entry, lookup }
  return shown(entry, found)
}

function shown(entry: SiteEntry, hit: FoundHit): FastAnswer | 'doubt' | Promise<unknown> {
  if (hit === undefined) return 'doubt'
  return hit instanceof Promise ? hit : { kind: 'kept', entry, hit }
}
