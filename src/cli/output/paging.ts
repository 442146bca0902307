import { PAGE_LIMIT } from '#contract/page.ts'
import { readCount, value } from '../command.ts'
import type { Output } from './output.ts'

const readTime = (text: string): number => {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(ms) || ms < 0)
    throw new TypeError(`"${text}" should be a time in ms, or a date as in 2030-01-31`)
  return ms
}

/** The options of every listing. */
export const pageOptions = {
  limit: value('count', `maximum number of results, up to ${PAGE_LIMIT.max}`, readCount(PAGE_LIMIT.max)),
  until: value('time', 'only older results, to get the next page', readTime),
}

/** The part of a query that they make. */
export const pageQuery = (given: {
  readonly limit: number | undefined
  readonly until: number | undefined
}) => ({
  ...(given.limit === undefined ? {} : { limit: given.limit }),
  ...(given.until === undefined ? {} : { until: given.until }),
})

/** Tells how to go on when there is more. */
export function sayMore(out: Output, line: string, next: number | null): void {
  if (next !== null && !out.json) out.say(out.talkColors.dim(`More results: aloft ${line} --until ${next}`))
}
