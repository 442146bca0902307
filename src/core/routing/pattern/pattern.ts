import { decodeText } from '../url/request-path.ts'
import type { GroupNames, Groups } from '../url/template.ts'
import { compileLookAround } from './look-around/look-around.ts'
import { type Shape, shapeOf } from './pattern-shape.ts'
import { sizeOf } from './pattern-size.ts'
import { readTokens, type Token } from './pattern-tokens.ts'
import { findRegex, type KeptRegex, keepRegex } from './regex-cache.ts'
import { compileRegex, type Regex } from './regex-engine.ts'

export interface Pattern {
  readonly names: GroupNames
  readonly groupCount: number
  readonly shape: Shape
  /** An estimate of what the engine has to compile; 0 if the shape says it all. */
  readonly size: number
  /** Written without the leading slash, as `about` is: tried on the path without its own. */
  readonly isRootless: boolean
  /**
   * Compiled when first asked for: many patterns of a table see no request that gets so far. Undefined if it is not, and the
   * meter does not allow it.
   */
  readonly regex: (meter: WorkMeter) => Regex | undefined
}

type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string }

/** A path made ready to be tried on many patterns. */
export interface Subject {
  readonly text: string
  /** The same with ASCII letters in lower case, character for character. */
  readonly folded: string
}

/** The regex work that a request may still do. Once it is below zero, "no match" means "not tried". */
export interface WorkMeter {
  left: number
  /** What of it went into regexes that had not been compiled before: it is spent once, and another try gets further. */
  compiled?: number
}

/** Steps of the regex engine for one request, 160 ms of them at the very worst. */
export const workOfRequest = (): WorkMeter => ({ left: 2_000_000 })

const MAX_LENGTH = 4096
const MAX_SIZE = 2000
/** What it costs to compile a pattern, for each unit of its size. */
const COMPILE_WORK = 50

export interface PatternOptions {
  /** Whether the pattern may look ahead and behind. */
  readonly takesLookAround?: boolean
  readonly isCaseSensitive?: boolean
  /** For any text: a pattern without a leading slash is then nothing special. */
  readonly isForValues?: boolean
}

/**
 * Reads a pattern. What only the engine can find wrong with it is left to {@link regexError}, and whether it is too much to
 * {@link sizeError}.
 */
export function readPattern(
  src: string,
  { takesLookAround = false, isCaseSensitive = false, isForValues = false }: PatternOptions = {},
): PatternResult {
  if (src === '') return { ok: false, reason: 'it is empty' }
  if (src.length > MAX_LENGTH) return { ok: false, reason: `it is longer than ${MAX_LENGTH} characters` }
  const source = withoutAnchors(isForValues ? src : withoutEscapes(src))
  const read = readTokens(source, takesLookAround)
  if (!read.ok) return read
  const plainShape = shapeOf(read.tokens)
  const shape = isCaseSensitive ? withCase(plainShape) : plainShape
  const size = shape.kind === 'regex' ? sizeOf(read.tokens) : 0
  const isRooted = shape.before === '' ? plainShape.kind !== 'literal' : shape.before.startsWith('/')
  const compile = hasLookAround(read.tokens)
    ? () => compileLookAround(read.tokens, isCaseSensitive)
    : () => compileRegex(source, isCaseSensitive)
  const key = `${isCaseSensitive ? 'with' : 'without'} case ${source}`
  return {
    ok: true,
    pattern: {
      names: namesOf(read.tokens),
      groupCount: read.tokens.filter((token) => token.kind === 'open' && token.captures).length,
      shape,
      size,
      isRootless: !isRooted && !isForValues,
      regex: whileKept(key, size, compile),
    },
  }
}

/** Why somebody who sends the pattern is refused. What was accepted before stays, however it is counted since. */
export const sizeError = ({ size }: Pattern): string | undefined =>
  size > MAX_SIZE ? 'it is too complex; shorten it or repeat less' : undefined

/** Why the engine refuses the pattern, if it does. */
export function regexError(pattern: Pattern): string | undefined {
  if (pattern.shape.kind !== 'regex') return undefined
  try {
    pattern.regex({ left: Number.POSITIVE_INFINITY })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
  }
}

export const toSubject = (path: string): Subject => ({ text: path, folded: fold(path) })

/** What the groups captured, if the pattern matches the whole path. */
export function matchPattern(pattern: Pattern, subject: Subject, meter: WorkMeter): Groups | undefined {
  const { text, folded } = pattern.isRootless ? withoutSlash(subject) : subject
  const { shape } = pattern
  if (shape.kind === 'literal') return folded === shape.before ? NO_GROUPS : undefined
  const { before, after } = shape
  if (text.length < before.length + after.length) return undefined
  if (!folded.startsWith(before) || !folded.endsWith(after)) return undefined
  if (shape.kind === 'regex') return runRegex(pattern, text, meter)
  const between = text.slice(before.length, text.length - after.length)
  if (between.length < shape.min || (!shape.crossesSlash && between.includes('/'))) return undefined
  return shape.captures ? [between] : NO_GROUPS
}

const NO_GROUPS: Groups = []

/** The texts of a shape are in lower case: they can rule a path out, but only the regex knows the case. */
const withCase = (shape: Shape): Shape => ({
  kind: 'regex',
  before: shape.before,
  after: shape.kind === 'literal' ? '' : shape.after,
})

const hasLookAround = (tokens: readonly Token[]): boolean =>
  tokens.some((token) => token.kind === 'open' && token.look !== undefined)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/** Two characters beyond ASCII fold to ASCII letters where regexes ignore case: long s and the Kelvin sign. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return lower.replaceAll('\u017f', 's').replaceAll('\u212a', 'k')
}

const withoutSlash = ({ text, folded }: Subject): Subject => ({
  text: text.slice(1),
  folded: folded.slice(1),
})

function runRegex(pattern: Pattern, text: string, meter: WorkMeter): Groups | undefined {
  const regex = pattern.regex(meter)
  if (regex === undefined) return undefined
  meter.left -= regex.workPerChar * text.length
  return meter.left < 0 ? undefined : regex.match(text)
}

/** One that stands for a percent sign which would read as an escape without it stays. */
const ESCAPES = /(?<!\\)(?:%(?!25[\da-f]{2})[\da-f]{2})+/gi

/** Paths are matched in their decoded form, and so what is written as it stands in a URL is decoded as well. */
const withoutEscapes = (src: string): string =>
  src.includes('%')
    ? src.replace(ESCAPES, (escapes) => decodeText(escapes).replace(/[.*+?^${}()|[\]-]/g, '\\$&'))
    : src

/** A pattern always matches the whole path, each of its alternatives too, so its outer anchors add nothing. */
function withoutAnchors(src: string): string {
  const start = /^\^(?![*+?{])/.test(src) ? 1 : 0
  const end = /(?<!\\)(?:\\\\)*\$$/.test(src) ? src.length - 1 : src.length
  return src.slice(start, end)
}

function namesOf(tokens: readonly Token[]): GroupNames {
  const names = new Map<string, number>()
  let group = 0
  for (const token of tokens) {
    if (token.kind !== 'open' || !token.captures) continue
    group++
    if (token.name !== undefined) names.set(token.name, group)
  }
  return names
}

function whileKept(key: string, size: number, compile: () => Regex): Pattern['regex'] {
  let kept: KeptRegex | undefined
  return (meter) => {
    if (kept?.regex === undefined) kept = findRegex(key)
    if (kept !== undefined) {
      kept.used = true
      return kept.regex
    }
    const work = size * COMPILE_WORK
    meter.left -= work
    meter.compiled = (meter.compiled ?? 0) + work
    if (meter.left < 0) return undefined
    const regex = compile()
    kept = keepRegex(key, regex, Math.max(size, regex.size))
    return regex
  }
}
