import type { CharSet } from './char-set.ts'
import { GlobError, MOST_STATES } from './glob-error.ts'
import type { Part, Segment } from './parse-glob.ts'

/**
 * A state says of every place of a path whether the rest of the path matches the rest of the pattern.
 * Each looks at the character at the place, at states after that character, and at states at the same place that
 * stand before it in the list; only `loop` looks at later ones, by way of its `close`.
 */
export type State =
  | { readonly op: 'end' }
  | { readonly op: 'char'; readonly code: number; readonly next: number }
  | { readonly op: 'set'; readonly set: CharSet | undefined; readonly next: number }
  | { readonly op: 'star'; readonly next: number }
  /** Whole folders, then `next`; `last`: whole folders and a name up to the end. */
  | { readonly op: 'folders'; readonly within: number; readonly next: number }
  | { readonly op: 'withinFolder'; readonly folders: number }
  | { readonly op: 'last'; readonly within: number }
  | { readonly op: 'withinLast'; readonly last: number }
  | { readonly op: 'oneOf'; readonly of: readonly number[] }
  | { readonly op: 'loop'; readonly next: number }
  | { readonly op: 'close'; readonly loop: number; readonly of: readonly number[] }
  | { readonly op: 'not'; readonly of: readonly number[]; readonly next: number }

/** The states of patterns without braces, any of which may match. The last is where a path begins. */
export function statesOf(patterns: readonly (readonly Segment[])[]): readonly State[] {
  const states: State[] = [{ op: 'end' }]
  const add = (state: State): number => {
    if (states.length === MOST_STATES) throw new GlobError('it is too complex')
    return states.push(state) - 1
  }
  const addParts = (parts: readonly Part[], next: number): number =>
    parts.reduceRight((after, part) => addPart(part, after), next)

  function addPart(part: Part, next: number): number {
    if (part.kind === 'char') return add({ op: 'char', code: part.code, next })
    if (part.kind === 'set') return add({ op: 'set', set: part.set, next })
    if (part.kind === 'star') return add({ op: 'star', next })
    if (part.sign === '*' || part.sign === '+') {
      const loop = add({ op: 'loop', next })
      const of = part.of.map((parts) => addParts(parts, loop))
      const close = add({ op: 'close', loop, of })
      return part.sign === '*' ? loop : close
    }
    const of = part.of.map((parts) => addParts(parts, next))
    if (part.sign === '!') return add({ op: 'not', of, next: add({ op: 'star', next }) })
    return add({ op: 'oneOf', of: part.sign === '?' ? [next, ...of] : of })
  }

  function addSegment(segment: Segment, next: number, isLast: boolean): number {
    if (segment === '**') {
      // The two states of a pair look at each other after a character has been read.
      const at = states.length
      if (isLast) {
        add({ op: 'withinLast', last: at + 1 })
        return add({ op: 'last', within: at })
      }
      add({ op: 'withinFolder', folders: at + 1 })
      return add({ op: 'folders', within: at, next })
    }
    return addParts(segment, isLast ? next : add({ op: 'char', code: SLASH, next }))
  }

  const of = patterns.map((segments) =>
    segments.reduceRight((next, segment, i) => addSegment(segment, next, i === segments.length - 1), 0),
  )
  add({ op: 'oneOf', of })
  return states
}

export const SLASH = 0x2f
export const DOT = 0x2e
/** Instead of a character, at the end of a path. */
export const END = -1
