/** More than anybody writes by hand. */
const MAX_PATTERNS = 1000
const MAX_LENGTH = 1024
const MAX_PARTS = 32

/** Parts that are compared with names of a path, in all: two seconds of work. */
const MAX_WORK = 20_000_000
/** To go back in a name takes as long for so many characters as to compare a part with it. */
const CHARACTERS_AT_ONCE = 5

/** The patterns and the paths are so many, or such, that comparing them would take too long. */
export class TooMuchToMatch extends Error {}

interface Work {
  left: number
}

type PatternPart =
  | { readonly kind: 'text'; readonly char: string }
  | { readonly kind: 'any' | 'many' }
  | CharSet
interface CharSet {
  readonly kind: 'set'
  readonly negated: boolean
  readonly ranges: readonly (readonly [string, string])[]
}

/** A part of a path between slashes; `deep` stands for any number of them. */
type Part = 'deep' | readonly PatternPart[]

interface Pattern {
  readonly keeps: boolean
  readonly parts: readonly Part[]
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
    for (const { keeps, parts } of patterns)
      if (keeps === ignored && matches(parts, names, work)) ignored = !keeps
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
  return names.length === 0 ? [] : [{ keeps, parts: names.flatMap(partsOf) }]
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
    else if (char === '\\' && i + 1 < name.length) pieces.push({ kind: 'text', char: name[++i] as string })
    else if (char === '[' && name.includes(']', i + 2)) {
      const end = name.indexOf(']', i + 2)
      pieces.push(setOf(name.slice(i + 1, end)))
      i = end
    } else pieces.push({ kind: 'text', char })
  }
  return pieces
}

function setOf(text: string): CharSet {
  const negated = text.startsWith('^')
  const ranges = [...(negated ? text.slice(1) : text).matchAll(/\\?(.)(?:-\\?(.))?/gs)].map(
    ([, from = '', to = from]) => [from, to] as const,
  )
  return { kind: 'set', negated, ranges }
}

/** Whether the pattern matches the path or a folder that it is in. */
function matches(parts: readonly Part[], names: readonly string[], work: Work): boolean {
  // After each name, how many parts can have been used up.
  let reached = closed(new Set([0]), parts)
  for (const name of names) {
    work.left -= reached.size
    if (work.left < 0) throw new TooMuchToMatch()
    const next = new Set<number>()
    for (const at of reached) {
      const part = parts[at]
      if (part === 'deep') {
        next.add(at)
        // A last `**` needs something to stand for, and now has it.
        if (at + 1 === parts.length) next.add(at + 1)
      } else if (part !== undefined && matchesName(part, name, work)) next.add(at + 1)
    }
    reached = closed(next, parts)
    if (reached.has(parts.length)) return true
    if (reached.size === 0) return false
  }
  return false
}

/** With those that are reached without a name, as `**` before something can stand for nothing. */
function closed(reached: Set<number>, parts: readonly Part[]): Set<number> {
  for (const at of reached) if (parts[at] === 'deep' && at + 1 < parts.length) reached.add(at + 1)
  return reached
}

/** By going back to the last `*` only: as often as the name is long, at most. */
function matchesName(pieces: readonly PatternPart[], name: string, work: Work): boolean {
  let piece = 0
  let char = 0
  let star = -1
  let from = 0
  while (char < name.length) {
    const here = pieces[piece]
    if (here?.kind === 'many') {
      star = piece++
      from = char
    } else if (here !== undefined && fits(here, name[char] as string)) {
      piece++
      char++
    } else if (star !== -1) {
      work.left -= (char - from) / CHARACTERS_AT_ONCE
      piece = star + 1
      char = ++from
    } else return false
  }
  while (pieces[piece]?.kind === 'many') piece++
  return piece === pieces.length
}

function fits(piece: PatternPart, char: string): boolean {
  if (piece.kind === 'text') return piece.char === char
  if (piece.kind !== 'set') return true
  return piece.ranges.some(([from, to]) => from <= char && char <= to) !== piece.negated
}
