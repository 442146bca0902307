import { matchRoutes } from '#core/routing/match-routes.ts'
import type { RouteOutcome } from '#core/routing/route-outcome.ts'
import type { SiteFile } from '#core/site/site.ts'
import { createFileAnswer, type FileAnswer } from './file-answer.ts'
import { readTarget } from './request-path.ts'
import type { SiteEntry } from './site-entry.ts'
import { WeightedCache } from './weighted-cache.ts'

/** A file's answer that is remembered for a path of a site. */
export interface HotAnswer {
  readonly answer: FileAnswer
  readonly home: Map<string, HotAnswer>
  readonly rawPath: string
  used: boolean
}

/** What one takes in memory without the content, roughly. */
const WEIGHT = 2048

/**
 * Remembers which file answers a GET of which path, so that the routes are asked once. Everything in an answer
 * but its content and the visitor's wishes depends on the site and the path alone.
 */
export class HotAnswers {
  readonly #kept: WeightedCache<HotAnswer>

  constructor(budgetBytes: number) {
    this.#kept = new WeightedCache(budgetBytes, ({ home, rawPath }) => home.delete(rawPath))
  }

  /** The answer to a GET of this path, if it is known; `rawPath` is as it was sent, without the query. */
  get(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const hot = entry.answers.get(rawPath)
    if (hot === undefined) return undefined
    hot.used = true
    return hot.answer
  }

  /** The answer to a GET of this path, if it is a file's. */
  find(entry: SiteEntry, rawPath: string): FileAnswer | undefined {
    const known = this.get(entry, rawPath)
    if (known !== undefined || !isPlain(rawPath)) return known
    const outcome = matchRoutes(entry.table, { path: rawPath, query: '', method: 'GET' }, entry.files)
    return outcome.kind === 'serve' ? this.remember(entry, rawPath, outcome) : undefined
  }

  /** Remembers what the routes found for a GET of this path, if the file is all that there is to say. */
  remember(entry: SiteEntry, rawPath: string, served: Served): FileAnswer | undefined {
    if ((served.status ?? 200) !== 200 || !isPlain(rawPath)) return undefined
    const answer = createFileAnswer(entry.site, served, 200, served.headers)
    const hot: HotAnswer = { answer, home: entry.answers, rawPath, used: true }
    if (this.#kept.set(`${entry.site.host} ${rawPath}`, hot, WEIGHT + 4 * rawPath.length))
      entry.answers.set(rawPath, hot)
    return answer
  }

  clear(): void {
    this.#kept.clear()
  }
}

type Served = Extract<RouteOutcome<SiteFile>, { kind: 'serve' }>

const PLAIN = /^\/[\w.~!$&'()*+,;=:@/-]*$/

/** Whether this is the plain spelling of a path, which no reader can take for another one. */
const isPlain = (rawPath: string): boolean => PLAIN.test(rawPath) && readTarget(rawPath)?.path === rawPath
