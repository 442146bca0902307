/** More than anybody writes by hand. */
const MAX_PATTERNS = 1000
const MAX_LENGTH = 1024
/** Their places, and the end, are the bits of a number. */
const MAX_PARTS = 30

/** Characters, and parts with names, that are compared in all: a few seconds of work. */
const MAX_WORK = 100_000_000

/** The patterns and the paths are so many, or such, that comparing them would take too long. */
export class TooMuchToMatch extends Error {}

interface Work {
  left: number
}

type PatternPart =
  | { readonly kind: 'text'; readonly code: number }
  | { readonly kind: 'any' | 'many' }
  | CharSet
interface CharSet {
  readonly kind: 'set'
  readonly negated: boolean
  readonly ranges: readonly (readonly [number, number])[]
}

/** A part of a path between slashes; `deep` stands for any number of them. */
type Part = 'deep' | readonly PatternPart[]

interface Pattern {
  readonly keeps: boolean
  readonly parts: readonly Part[]
  /** The places of parts that can stand for nothing, as bits. */
  readonly empty: number
}

/**
 * Whether a path is left out of the context, by the text of a `.dockerignore`. The last pattern that matches counts. Throws where
 * that has taken too much work, of all paths together.
 */
export function readDockerIgnore(text: string): (path: string) => boolean {
  const patterns = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#') && line.length <= MAX_LENGTH)
    .slice(0, MAX_PATTERNS)
    .flatMap(patternOf)
    .filter(({ parts }) => parts.length <= MAX_PARTS)
  const work = { left: MAX_WORK }
  return (path) => {
    const names = path.split('/')
    let ignored = false
    for (const pattern of patterns)
      if (pattern.keeps === ignored && matches(pattern, names, work)) ignored = !ignored
    return ignored
  }
}

function patternOf(line: string): Pattern[] {
  const text = line.trim()
  const keeps = text.startsWith('!')
  const names: string[] = []
  for (const name of (keeps ? text.slice(1).trim() : text).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  // Everything but the whole context itself, which nobody means.
  if (names.length === 0) return []
  const parts = names.flatMap(partsOf)
  // A last `**` needs something to stand for.
  const empty = parts.slice(0, -1).reduce((bits, part, at) => (part === 'deep' ? bits | (1 << at) : bits), 0)
  return [{ keeps, parts, empty }]
}

/** Of `**.log` the stars reach across folders as well. */
const partsOf = (name: string): readonly Part[] =>
  name.startsWith('**') ? ['deep', ...(name === '**' ? [] : [piecesOf(name)])] : [piecesOf(name)]

function piecesOf(name: string): readonly PatternPart[] {
  const pieces: PatternPart[] = []
  for (let i = 0; i < name.length; i++) {
    const char = name[i] as string
    if (char === '*') {
      if (pieces.at(-1)?.kind !== 'many') pieces.push({ kind: 'many' })
    } else if (char === '?') pieces.push({ kind: 'any' })
    else if (char === '\\' && i + 1 < name.length) pieces.push({ kind: 'text', code: name.charCodeAt(++i) })
    else if (char === '[' && name.includes(']', i + 2)) {
      const end = name.indexOf(']', i + 2)
      pieces.push(setOf(name.slice(i + 1, end)))
      i = end
    } else pieces.push({ kind: 'text', code: name.charCodeAt(i) })
  }
  return pieces
}

function setOf(text: string): CharSet {
  const negated = text.startsWith('^')
  const ranges = [...(negated ? text.slice(1) : text).matchAll(/\\?(.)(?:-\\?(.))?/gs)].map(
    ([, from = '', to = from]) => [from.charCodeAt(0), to.charCodeAt(0)] as const,
  )
  return { kind: 'set', negated, ranges }
}

/** Whether the pattern matches the path or a folder that it is in. */
function matches({ parts, empty }: Pattern, names: readonly string[], work: Work): boolean {
  const end = 1 << parts.length
  // After each name, how many parts can have been used up, as bits.
  let reached = passing(1, empty)
  for (const name of names) {
    let next = 0
    for (let left = reached; left !== 0; left &= left - 1) {
      const at = 31 - Math.clz32(left & -left)
      const part = parts[at]
      work.left--
      // What a last `**` needs is this name.
      if (part === 'deep') next |= at + 1 === parts.length ? end : 1 << at
      else if (part !== undefined && matchesName(part, name, work)) next |= 2 << at
    }
    if (work.left < 0) throw new TooMuchToMatch()
    reached = passing(next, empty)
    if ((reached & end) !== 0) return true
    if (reached === 0) return false
  }
  return false
}

/** With those that are reached without a name, behind parts that stand for nothing. */
function passing(reached: number, empty: number): number {
  let all = reached
  for (let more = reached; more !== 0; all |= more) more = ((all & empty) << 1) & ~all
  return all
}

/** By going back to the last `*` only: as often as the name is long, at most. */
function matchesName(pieces: readonly PatternPart[], name: string, work: Work): boolean {
  let piece = 0
  let char = 0
  let star = -1
  let from = 0
  while (char < name.length) {
    const here = pieces[piece]
    work.left -= here?.kind === 'set' ? here.ranges.length : 1
    if (here?.kind === 'many') {
      star = piece++
      from = char
    } else if (here !== undefined && fits(here, name.charCodeAt(char))) {
      piece++
      char++
    } else if (star !== -1) {
      piece = star + 1
      char = ++from
    } else return false
  }
  while (pieces[piece]?.kind === 'many') piece++
  return piece === pieces.length
}

function fits(piece: PatternPart, code: number): boolean {
  if (piece.kind === 'text') return piece.code === code
  if (piece.kind !== 'set') return true
  return piece.ranges.some(([from, to]) => from <= code && code <= to) !== piece.negated
}
