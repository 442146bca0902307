import { isRecord } from '../../is-record.ts'
import { matchPattern, type Pattern, readPattern, toSubject, type WorkMeter } from '../pattern/pattern.ts'
import type { Groups } from '../url/template.ts'
import type { RequestFacts } from './request-facts.ts'

/** Something that a rule asks of a request besides its path and method. */
export interface Condition {
  readonly type: 'host' | 'header' | 'cookie' | 'query'
  /** Of a header, in lower case; empty for the host. */
  readonly key: string
  /** Undefined if any value will do. */
  readonly value: ValueTest | undefined
}

type ValueTest = { readonly pattern: Pattern } | { readonly comparisons: readonly Comparison[] }

type Comparison =
  | { readonly op: 'eq' | 'neq' | 'pre' | 'suf'; readonly text: string }
  | { readonly op: 'inc' | 'ninc'; readonly texts: readonly string[] }
  | { readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly number: number }
  | { readonly op: 're'; readonly pattern: Pattern }

type ConditionResult =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly reason: string }

const MAX_LENGTH = 4096
const MAX_TEXTS = 1000
const KEYED = ['header', 'cookie', 'query'] as const

export function readCondition(given: unknown): ConditionResult {
  if (typeof given !== 'object' || given === null) return refuse('it must be an object with a type')
  const { type, key, value }: { type?: unknown; key?: unknown; value?: unknown } = given
  const test = value === undefined || value === null ? undefined : readValue(value)
  if (typeof test === 'string') return refuse(test)
  if (type === 'host') {
    if (test === undefined) return refuse('a host needs a value')
    return { ok: true, condition: { type, key: '', value: test } }
  }
  const keyed = KEYED.find((known) => known === type)
  if (keyed === undefined) return refuse('its type must be host, header, cookie or query')
  if (typeof key !== 'string' || key === '' || key.length > MAX_LENGTH)
    return refuse(`its key must be a text of 1 to ${MAX_LENGTH} characters`)
  return {
    ok: true,
    condition: { type: keyed, key: keyed === 'header' ? key.toLowerCase() : key, value: test },
  }
}

/** The patterns of a condition, for what their regexes cost. */
export function patternsOf({ value }: Condition): readonly Pattern[] {
  if (value === undefined) return []
  if ('pattern' in value) return [value.pattern]
  return value.comparisons.flatMap((comparison) => (comparison.op === 're' ? [comparison.pattern] : []))
}

/** What the groups of the condition's pattern captured if it holds; undefined if it does not. */
export function checkCondition(
  { type, key, value }: Condition,
  facts: RequestFacts,
  query: string,
  meter: WorkMeter,
): Groups | undefined {
  const given =
    type === 'host' ? facts.host : type === 'query' ? facts.query(query, key, meter) : facts[type](key)
  meter.left -= CONDITION_WORK
  if (given === undefined) return undefined
  if (value === undefined) return NO_GROUPS
  meter.left -= given.length >> VALUE_WORK_BITS
  if ('pattern' in value) return matchPattern(value.pattern, toSubject(given), meter)
  return value.comparisons.every((comparison) => compare(given, comparison, meter)) ? NO_GROUPS : undefined
}

const NO_GROUPS: Groups = []

/** What a condition costs, in steps of the regex engine, and what a value does: one for so many characters, as a power of two. */
const CONDITION_WORK = 1
const VALUE_WORK_BITS = 6

const refuse = (reason: string): ConditionResult => ({ ok: false, reason })

/** A string is the reason why it cannot be used. */
function readValue(value: unknown): ValueTest | string {
  if (value === '') return { comparisons: [{ op: 'eq', text: '' }] }
  if (typeof value === 'string') return readRegex(value)
  if (!isRecord(value)) return 'its value must be a string or an object of comparisons'
  const entries = Object.entries(value)
  if (entries.length === 0) return 'its value must have a comparison'
  const comparisons: Comparison[] = []
  for (const [op, operand] of entries) {
    const comparison = readComparison(op, operand)
    if (typeof comparison === 'string') return comparison
    comparisons.push(comparison)
  }
  return { comparisons }
}

function readComparison(op: string, operand: unknown): Comparison | string {
  switch (op) {
    case 'eq':
    case 'neq':
    case 'pre':
    case 'suf':
      return isText(operand) ? { op, text: String(operand) } : `${op} must be a text`
    case 'inc':
    case 'ninc':
      return isTexts(operand) ? { op, texts: operand.map(String) } : `${op} must be a list of texts`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof operand === 'number' ? { op, number: operand } : `${op} must be a number`
    case 're': {
      const read = typeof operand === 'string' ? readRegex(operand) : 're must be a text'
      return typeof read === 'string' ? read : { op, pattern: read.pattern }
    }
    default:
      return `${op.slice(0, 20)} is not a comparison`
  }
}

const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.length <= MAX_LENGTH) || typeof value === 'number'

const isTexts = (value: unknown): value is readonly (string | number)[] =>
  Array.isArray(value) && value.length <= MAX_TEXTS && value.every(isText)

function readRegex(source: string): { readonly pattern: Pattern } | string {
  const read = readPattern(source, { takesLookAround: true, isCaseSensitive: true, isForValues: true })
  if (!read.ok) return read.reason
  return { pattern: read.pattern }
}

function compare(given: string, comparison: Comparison, meter: WorkMeter): boolean {
  switch (comparison.op) {
    case 'eq':
      return given === comparison.text
    case 'neq':
      return given !== comparison.text
    case 'pre':
      return given.startsWith(comparison.text)
    case 'suf':
      return given.endsWith(comparison.text)
    case 'inc':
    case 'ninc':
      meter.left -= comparison.texts.length >> TEXTS_WORK_BITS
      return comparison.texts.includes(given) === (comparison.op === 'inc')
    case 're':
      return matchPattern(comparison.pattern, toSubject(given), meter) !== undefined
    default:
      return compareNumber(given, comparison.op, comparison.number)
  }
}

/** Texts that are looked at in one step. */
const TEXTS_WORK_BITS = 3

function compareNumber(given: string, op: 'gt' | 'gte' | 'lt' | 'lte', number: number): boolean {
  const value = given.trim() === '' ? Number.NaN : Number(given)
  if (op === 'gt') return value > number
  if (op === 'gte') return value >= number
  return op === 'lt' ? value < number : value <= number
}
