import type { CharSet } from './char-set.ts'
import { type Assertion, isNullable, type LookNode, type Node } from './syntax.ts'

/** Steps of a program; places in the text are between its characters. */
export type Instruction =
  | { readonly op: 'char'; readonly set: CharSet; readonly next: number }
  /** Goes both ways, `next` preferred. */
  | { op: 'split'; next: number; other: number }
  | { readonly op: 'save'; readonly slot: number; readonly next: number }
  | { readonly op: 'assert'; readonly test: Assertion; readonly next: number }
  | { readonly op: 'look'; readonly look: Look; readonly next: number }
  | { readonly op: 'match' }

export interface Program {
  readonly instructions: readonly Instruction[]
  readonly start: number
}

/** A look-around: whether its body has a match that begins, or ends, at a place. */
export interface Look {
  /** Among all of the pattern. */
  readonly index: number
  readonly isBehind: boolean
  readonly isNegated: boolean
  /** Whether its groups have to be captured once the pattern has matched. */
  readonly captures: boolean
  /** Reads the body from its beginning to its end. */
  readonly forward: Program
  /** Reads it from its end to its beginning. */
  readonly backward: Program
}

/** The look-arounds of a pattern, each compiled once for all directions in which it is met. */
export interface Looks {
  readonly all: Look[]
  readonly known: Map<LookNode, Look>
}

export function compileProgram(node: Node, isBackward: boolean, looks: Looks): Program {
  const instructions: Instruction[] = [{ op: 'match' }]
  const add = (instruction: Instruction): number => instructions.push(instruction) - 1

  /** The program for a node that goes on at `next`. */
  function emit(node: Node, next: number): number {
    switch (node.kind) {
      case 'chars':
        return add({ op: 'char', set: node.set, next })
      case 'assertion':
        return add({ op: 'assert', test: node.test, next })
      case 'look':
        return add({ op: 'look', look: compileLook(node.look, looks), next })
      case 'group': {
        // The slots of a group are its beginning and its end; going backward, the end is met first.
        const [first, last] = isBackward ? [1, 0] : [0, 1]
        const end = add({ op: 'save', slot: 2 * node.index + last, next })
        return add({ op: 'save', slot: 2 * node.index + first, next: emit(node.body, end) })
      }
      case 'sequence': {
        const items = isBackward ? node.items : node.items.toReversed()
        return items.reduce((following, item) => emit(item, following), next)
      }
      case 'choice': {
        const entries = node.items.map((item) => emit(item, next))
        return entries.reduceRight((other, entry) => add({ op: 'split', next: entry, other }))
      }
      case 'repeat':
        return emitRepeat(node, next)
    }
  }

  function emitRepeat({ body, min, max, isLazy }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let entry = next
    let required = min
    if (max === Number.POSITIVE_INFINITY) {
      if (min > 0) {
        entry = emitLoop(body, isLazy, next)
        required--
      } else if (isNullable(body)) entry = choose(emitLoop(body, isLazy, next), next, isLazy)
      else entry = emitStar(body, isLazy, next)
    } else for (let count = min; count < max; count++) entry = choose(emit(body, entry), next, isLazy)
    for (let count = 0; count < required; count++) entry = emit(body, entry)
    return entry
  }

  const choose = (entry: number, next: number, isLazy: boolean): number =>
    add({ op: 'split', ...(isLazy ? { next, other: entry } : { next: entry, other: next }) })

  /** Once or more. */
  function emitLoop(body: Node, isLazy: boolean, next: number): number {
    const split = { op: 'split' as const, next, other: next }
    const entry = emit(body, add(split))
    if (isLazy) split.other = entry
    else split.next = entry
    return entry
  }

  /** Any number of times. */
  function emitStar(body: Node, isLazy: boolean, next: number): number {
    const split = { op: 'split' as const, next, other: next }
    const at = add(split)
    const entry = emit(body, at)
    if (isLazy) split.other = entry
    else split.next = entry
    return at
  }

  const start = emit(node, 0)
  return { instructions, start }
}

/** Compiles a look-around, or finds it if it was compiled before. */
export function compileLook(node: LookNode, looks: Looks): Look {
  const known = looks.known.get(node)
  if (known !== undefined) return known
  const { body, isBehind, isNegated, captures } = node
  const forward = compileProgram(body, false, looks)
  const backward = compileProgram(body, true, looks)
  const look: Look = {
    index: looks.all.length,
    isBehind,
    isNegated,
    captures: captures && !isNegated,
    forward,
    backward,
  }
  looks.all.push(look)
  looks.known.set(node, look)
  return look
}
