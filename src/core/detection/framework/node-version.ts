import { NODE_VERSIONS, type NodeVersion } from '../../project/project.ts'

/** From `low` up to but not including `high`; versions as three numbers. */
interface Interval {
  readonly low: Version
  readonly high: Version
}
type Version = readonly [number, number, number]

const FIRST: Version = [0, 0, 0]
const BEYOND: Version = [Number.MAX_SAFE_INTEGER, 0, 0]

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
const least = (a: Version, b: Version): Version => (compare(a, b) <= 0 ? a : b)
const most = (a: Version, b: Version): Version => (compare(a, b) >= 0 ? a : b)

/** All versions that a line such as `20.x` or `8.10.x` stands for. */
const lineOf = (line: string): Interval =>
  intervalOf(
    '',
    line
      .split('.')
      .filter((part) => part !== 'x')
      .map(Number),
  )

/** The newest supported line of which a range, such as that of `engines.node`, allows a version. */
export function newestIn(range: string): NodeVersion | undefined {
  return linesIn(range)[0]
}

/** All supported lines of which a range allows a version, the newest first. */
export function linesIn(range: string): readonly NodeVersion[] {
  const wanted = readRange(range) ?? []
  return NODE_VERSIONS.filter((line) => wanted.some((interval) => overlap(interval, lineOf(line))))
}

const overlap = (a: Interval, b: Interval): boolean => compare(most(a.low, b.low), least(a.high, b.high)) < 0

const MAX_RANGE = 256

/** Undefined where it is no range. */
function readRange(range: string): readonly Interval[] | undefined {
  if (range.length > MAX_RANGE) return undefined
  const options = range.split('||').map(readOption)
  return options.every((option) => option !== undefined) ? options : undefined
}

const HYPHEN = /^v?(\d+(?:\.\d+){0,2})\s+-\s+v?(\d+(?:\.\d+){0,2})$/

function readOption(text: string): Interval | undefined {
  const hyphen = HYPHEN.exec(text.trim())
  if (hyphen)
    return {
      low: intervalOf('', numbers(hyphen[1] as string)).low,
      high: intervalOf('', numbers(hyphen[2] as string)).high,
    }
  const terms = text
    .replace(/([<>=^~])\s+/g, '$1')
    .split(/[\s,]+/)
    .filter(Boolean)
  let found: Interval = { low: FIRST, high: BEYOND }
  for (const term of terms) {
    const interval = readTerm(term)
    if (!interval) return undefined
    found = { low: most(found.low, interval.low), high: least(found.high, interval.high) }
  }
  return found
}

const TERM = /^(>=|<=|>|<|=|\^|~>?)?v?(\d+|x|X|\*)(?:\.(\d+|x|X|\*))?(?:\.(\d+|x|X|\*))?(?:[-+][\w.+-]*)?$/

function readTerm(term: string): Interval | undefined {
  if (['lts/*', 'node', 'latest', 'current'].includes(term)) return { low: FIRST, high: BEYOND }
  const match = TERM.exec(term)
  if (!match) return undefined
  const [, operator = '', ...parts] = match
  const end = parts.findIndex((part) => part === undefined || !/^\d+$/.test(part))
  return intervalOf(operator, parts.slice(0, end === -1 ? 3 : end).map(Number))
}

const numbers = (version: string): number[] => version.split('.').map(Number)

/** Fewer than three numbers stand for every version that begins with them. */
function intervalOf(operator: string, given: readonly number[]): Interval {
  const [major, minor = 0, patch = 0] = given
  if (major === undefined) return { low: FIRST, high: BEYOND }
  const low: Version = [major, minor, patch]
  const next: Version =
    given.length === 1
      ? [major + 1, 0, 0]
      : given.length === 2
        ? [major, minor + 1, 0]
        : [major, minor, patch + 1]
  switch (operator) {
    case '>=':
      return { low, high: BEYOND }
    case '>':
      return { low: next, high: BEYOND }
    case '<=':
      return { low: FIRST, high: next }
    case '<':
      return { low: FIRST, high: low }
    case '^':
      return { low, high: [major + 1, 0, 0] }
    case '~':
    case '~>':
      return { low, high: given.length === 1 ? next : [major, minor + 1, 0] }
    default:
      return { low, high: next }
  }
}
