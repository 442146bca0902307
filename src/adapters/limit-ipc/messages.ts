import type { Window } from '#contract/limit/limits.ts'
import type { RateLimitResult } from '#core/ports/rate-limiter.ts'
import { kindOf } from '../ipc/channel.ts'
import type { GivenCount } from '../limit-memory/memory-limiter.ts'

export interface Request {
  readonly key: string
  readonly window: Window
  readonly points: number
}

/** What a serving process asks in one go. Arrays in place of objects: they are half as long on the line. */
interface Ask {
  readonly kind: 'limit.ask'
  readonly batch: number
  readonly takes: readonly Take[]
}

type Take = readonly [key: string, most: number, ms: number, points: number]

/** The answers, in the order of the questions. */
interface Answer {
  readonly kind: 'limit.answer'
  readonly batch: number
  readonly taken: readonly (readonly [allowed: boolean, remaining: number, resetAt: number])[]
}

export const ask = (batch: number, requests: readonly Request[]): Ask => ({
  kind: 'limit.ask',
  batch,
  takes: requests.map(({ key, window, points }) => [key, window.points, window.ms, points]),
})

export const answer = (batch: number, taken: readonly RateLimitResult[]): Answer => ({
  kind: 'limit.answer',
  batch,
  taken: taken.map(({ allowed, remaining, resetAt }) => [allowed, remaining, resetAt]),
})

export function readAsk(message: unknown): { batch: number; requests: Request[] } | undefined {
  if (kindOf(message) !== 'limit.ask') return undefined
  const { batch, takes } = message as Ask
  // The asking process may be confused or taken over; the one that counts must survive it.
  if (!Array.isArray(takes) || !takes.every(isTake)) return undefined
  return {
    batch,
    requests: takes.map(([key, most, ms, points]) => ({ key, window: { points: most, ms }, points })),
  }
}

export function readAnswer(message: unknown): { batch: number; taken: RateLimitResult[] } | undefined {
  if (kindOf(message) !== 'limit.answer') return undefined
  const { batch, taken } = message as Answer
  if (!Array.isArray(taken)) return undefined
  return { batch, taken: taken.map(([allowed, remaining, resetAt]) => ({ allowed, remaining, resetAt })) }
}

/** Counts that change hands. */
export const given = (counts: readonly GivenCount[]) => ({ kind: 'limit.given', counts }) as const

/** Whether the process that is told serves alone. */
export const alone = (isAlone: boolean) => ({ kind: 'limit.alone', alone: isAlone }) as const

/** The process that says so answers what it is asked. */
export const ANSWERING = { kind: 'limit.answering' } as const

export const isAnswering = (message: unknown): boolean => kindOf(message) === ANSWERING.kind

export function readGiven(message: unknown): GivenCount[] | undefined {
  if (kindOf(message) !== 'limit.given') return undefined
  const { counts } = message as { counts: unknown }
  return Array.isArray(counts) && counts.every(isGiven) ? counts : undefined
}

export function readAlone(message: unknown): boolean | undefined {
  if (kindOf(message) !== 'limit.alone') return undefined
  const { alone: isAlone } = message as { alone: unknown }
  return typeof isAlone === 'boolean' ? isAlone : undefined
}

const isTake = (value: unknown): value is Take =>
  Array.isArray(value) &&
  ['string', 'number', 'number', 'number'].every((type, i) => typeof value[i] === type)

const isGiven = (value: unknown): value is GivenCount =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  value.length === 5 &&
  value.slice(1).every((part) => Number.isSafeInteger(Math.round(part)) && part >= 0)
