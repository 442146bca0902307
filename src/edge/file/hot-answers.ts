import { matchRoutes } from '#core/routing/match/match-routes.ts'
import type { RouteOutcome } from '#core/routing/match/route-outcome.ts'
import type { SiteFile } from '#core/site/site.ts'
import { headerOf, type Question } from '../answer.ts'
import type { FunctionOutcome } from '../function/function-answer.ts'
import { readTarget, type Target } from '../request/request-path.ts'
import type { AnswerShare, HotAnswer, SiteEntry } from '../site/site-entry.ts'
import { isFunction } from '../site/site-target.ts'
import { createFileAnswer, type FileAnswer } from './file-answer.ts'
import { WeightedCache } from './weighted-cache.ts'

/** What one takes in memory without the content, roughly. */
const WEIGHT = 2048

/**
 * Remembers which file answers a GET of which path, so that the routes are asked once. Everything in an answer
 * but its content and the visitor's headers depends on the site and the path alone.
 */
export class HotAnswers {
  readonly #kept: WeightedCache<HotAnswer>

  constructor(budgetBytes: number) {
    this.#kept = new WeightedCache(budgetBytes, ({ entry, rawPath, share }) => {
      entry.answers.delete(rawPath)
      if (--share.paths === 0) entry.shares.delete(share.key)
    })
  }

  /** The answer to a GET of this path, if it is known; `rawPath` is as it was sent, without the query. */
  get(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const hot = entry.answers.get(rawPath)
    if (hot === undefined) return undefined
    hot.used = true
    return hot.share.answer
  }

  /** The answer to a GET of this path, if it is a file's. */
  find(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const found = this.findAny(entry, rawPath, '')
    return found === undefined || 'kind' in found ? undefined : found
  }

  /** The answer to a GET of this path, or the function that has one. */
  findAny(entry: SiteEntry, rawPath: string, query: string): FileAnswer | FunctionOutcome | undefined {
    const known = this.get(entry, rawPath)
    if (known !== undefined || !isPlain(rawPath)) return known
    const request = { path: rawPath, query, method: 'GET', host: entry.site.host }
    const outcome = matchRoutes(entry.table, request, entry.targets)
    if (outcome.kind !== 'serve') return undefined
    const { target } = outcome
    return isFunction(target)
      ? { ...outcome, kind: 'function', target, asked: { rawPath, path: rawPath, query } }
      : this.remember(entry, rawPath, { ...outcome, target })
  }

  /** Remembers what the routes found for a GET of this path, if the file is all that there is to say. */
  remember(entry: SiteEntry, rawPath: string, served: Served): FileAnswer | undefined {
    if ((served.status ?? 200) !== 200 || served.transforms !== undefined || !isPlain(rawPath))
      return undefined
    const share = shareOf(entry, served)
    const hot: HotAnswer = { entry, rawPath, share, used: true }
    share.paths++
    this.#kept.set(`${entry.site.host} ${rawPath}`, hot, WEIGHT + 4 * rawPath.length)
    entry.answers.set(rawPath, hot)
    return share.answer
  }

  clear(): void {
    this.#kept.clear()
  }
}

/**
 * Whether something about this request besides its path may decide what it gets. The routes of build outputs can
 * look at the query, and at some headers.
 */
export function isPersonal({ table }: SiteEntry, { query }: Target, question: Question): boolean {
  if (table.output === undefined) return false
  if (query !== '') return true
  for (const name of table.variesOn ?? []) if (headerOf(question, name) !== undefined) return true
  return false
}

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
/** Certificate authorities ask there for what is not the site's, so that nothing may be remembered about it. */
const CHALLENGES = '/.well-known/acme-challenge/'

/** Whether this is the plain spelling of a path, which no reader can take for another one. */
const isPlain = (rawPath: string): boolean =>
  PLAIN.test(rawPath) && readTarget(rawPath)?.path === rawPath && !rawPath.startsWith(CHALLENGES)
