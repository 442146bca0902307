import { HTTP_CHALLENGES } from '#core/certificate/challenge.ts'
import { matchRoutes } from '#core/routing/match/match-routes.ts'
import type { RouteOutcome } from '#core/routing/match/route-outcome.ts'
import type { SiteFile } from '#core/site/site.ts'
import type { FunctionOutcome } from '../function/function-request.ts'
import { readTarget } from '../request/request-path.ts'
import type { AnswerShare, HotAnswer, SiteEntry } from '../site/site-entry.ts'
import { isFunction } from '../site/site-target.ts'
import { createFileAnswer, type FileAnswer } from './file-answer.ts'
import { WeightedCache } from './weighted-cache.ts'

/** What one takes in memory without the content, roughly. */
const WEIGHT = 2048

/**
 * Remembers which file or function answers a GET of which path, so that the routes are asked once. Everything in the
 * answer of a file but its content and the visitor's headers depends on the site and the path alone.
 */
export class HotAnswers {
  readonly #kept: WeightedCache<HotAnswer>

  constructor(budgetBytes: number) {
    this.#kept = new WeightedCache(budgetBytes, (hot) => {
      const { entry, rawPath, found } = hot
      hot.live = false
      entry.answers.delete(rawPath)
      if (!isOutcome(found) && --found.paths === 0) entry.shares.delete(found.key)
    })
  }

  /** The answer to a GET of this path, if it is known to be a file's; `rawPath` is as it was sent, without the query. */
  get(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const found = this.#get(entry, rawPath)
    return found === undefined || isOutcome(found) ? undefined : found.answer
  }

  /** The answer to a GET of this path, if it is a file's. */
  find(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const found = this.findAny(entry, rawPath, '')
    return found === undefined || 'kind' in found ? undefined : found
  }

  /** The answer to a GET of this path, or the function that has one. */
  findAny(entry: SiteEntry, rawPath: string, query: string): FileAnswer | FunctionOutcome | undefined {
    const known = this.#get(entry, rawPath)
    if (known !== undefined && !isOutcome(known)) return known.answer
    // What a function is sent depends on the query as well.
    if (known !== undefined && query === '') return known
    if (!isPlain(rawPath)) return undefined
    const request = { path: rawPath, query, method: 'GET', host: entry.site.host }
    const outcome = matchRoutes(entry.table, request, entry.targets)
    if (outcome.kind !== 'serve') return undefined
    const { target } = outcome
    if (!isFunction(target)) return this.remember(entry, rawPath, { ...outcome, target })
    const found = { ...outcome, kind: 'function', target, asked: { rawPath, path: rawPath, query } } as const
    if (query === '') this.#keep({ entry, rawPath, found, live: true, used: true })
    return found
  }

  /** Where `findAny` has found what it answers: good until the site or the answer is forgotten. */
  placeOf(entry: SiteEntry, rawPath: string, query: string): HotAnswer | undefined {
    const hot = entry.answers.get(rawPath)
    return hot !== undefined && isOutcome(hot.found) && query !== '' ? undefined : hot
  }

  #get(entry: SiteEntry, rawPath: string): HotAnswer['found'] | undefined {
    const hot = entry.answers.get(rawPath)
    if (hot === undefined) return undefined
    hot.used = true
    return hot.found
  }

  #keep(hot: HotAnswer): void {
    const { entry, rawPath } = hot
    const { host, deploymentId } = entry.site
    this.#kept.set(`${host} ${deploymentId} ${rawPath}`, hot, WEIGHT + 4 * rawPath.length)
    entry.answers.set(rawPath, hot)
  }

  /** Remembers what the routes found for a GET of this path, if the file is all that there is to say. */
  remember(entry: SiteEntry, rawPath: string, served: Served): FileAnswer | undefined {
    if ((served.status ?? 200) !== 200 || served.transforms !== undefined || !isPlain(rawPath))
      return undefined
    const share = shareOf(entry, served)
    share.paths++
    this.#keep({ entry, rawPath, found: share, live: true, used: true })
    return share.answer
  }

  clear(): void {
    this.#kept.clear()
  }
}

export const isOutcome = (found: HotAnswer['found']): found is FunctionOutcome => 'kind' in found

type Served = Extract<RouteOutcome<SiteFile>, { kind: 'serve' }>

/** Paths that lead to the same file with the same headers, as those of a single-page application do, share an answer. */
function shareOf({ site, shares }: SiteEntry, served: Served): AnswerShare {
  const { foundAt, headers } = served
  const key = headers.size === 0 ? foundAt : `${foundAt}\n${JSON.stringify([...headers])}`
  let share = shares.get(key)
  if (share === undefined) {
    share = { key, answer: createFileAnswer(site, served, 200, headers), paths: 0 }
    shares.set(key, share)
  }
  return share
}

const PLAIN = /^\/[\w.~!$&'()*+,;=:@/-]*$/

/**
 * Whether this is the plain spelling of a path, which no reader can take for another one. What certificate authorities ask for is
 * not the site's, so that nothing may be remembered about it.
 */
const isPlain = (rawPath: string): boolean =>
  PLAIN.test(rawPath) && readTarget(rawPath)?.path === rawPath && !rawPath.startsWith(HTTP_CHALLENGES)
