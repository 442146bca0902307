import type { RateLimitResult } from '#core/ports/rate-limiter.ts'
import type { Topic } from '../ipc/ask.ts'
import { kindOf } from '../ipc/channel.ts'
import type { GivenCount } from '../limit-memory/memory-limiter.ts'

/** What a process takes for one request. Arrays in place of objects: they are half as long on the line. */
export type Take = readonly [key: string, most: number, ms: number, points: number]

type Taken = readonly [allowed: boolean, remaining: number, resetAt: number]

export const takenOf = ({ allowed, remaining, resetAt }: RateLimitResult): Taken => [
  allowed,
  remaining,
  resetAt,
]

export const resultOf = ([allowed, remaining, resetAt]: Taken): RateLimitResult => ({
  allowed,
  remaining,
  resetAt,
})

/**
 * Asked for all requests of a turn of the event loop at once, and answered in their order. During an upgrade the other end may
 * be of an earlier version, which knows the parts by these names.
 */
export const TAKES: Topic<readonly Taken[], readonly Take[]> = {
  name: 'limit',
  parts: { id: 'batch', question: 'takes', answer: 'taken' },
}

export const areTakes = (value: unknown): value is readonly Take[] =>
  Array.isArray(value) && value.every(isTake)

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
