import { ANY, type CharSet } from './char-set.ts'
import { type Assertion, isNullable, type LookNode, type Node } from './syntax.ts'

/** A step of a program; places in the text are between its characters. All have all fields, which makes them fast. */
export interface Instruction {
  /** `split` goes both ways, `next` preferred. */
  readonly op: 'char' | 'split' | 'save' | 'assert' | 'look' | 'match'
  next: number
  other: number
  /** Where the place is noted; -1: nowhere. */
  readonly slot: number
  readonly set: CharSet
  readonly test: Assertion
  readonly look: LookAround | undefined
}

export interface Program {
  readonly instructions: readonly Instruction[]
  readonly start: number
}

/** A look-around: whether its body has a match that begins, or ends, at a place. */
export interface LookAround {
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
export interface LookArounds {
  /** The slot for the place at which the first one was passed; those of groups come before. */
  readonly firstSlot: number
  readonly all: LookAround[]
  readonly known: Map<LookNode, LookAround>
}

export function compileProgram(node: Node, isBackward: boolean, looks: LookArounds): Program {
  const instructions: Instruction[] = []
  const add = (op: Instruction['op'], next: number, fields: Partial<Instruction> = {}): number =>
    instructions.push({
      op,
      next,
      other: next,
      slot: -1,
      set: ANY,
      test: 'start',
      look: undefined,
      ...fields,
    }) - 1

  /** The program for a node that goes on at `next`. */
  function emit(node: Node, next: number): number {
    switch (node.kind) {
      case 'chars':
        return add('char', next, { set: node.set })
      case 'assertion':
        return add('assert', next, { test: node.test })
      case 'look': {
        const look = compileLook(node.look, looks)
        return add('look', next, { look, slot: look.captures ? looks.firstSlot + look.index : -1 })
      }
      case 'group': {
        // The slots of a group are its beginning and its end; going backward, the end is met first.
        const [first, last] = isBackward ? [1, 0] : [0, 1]
        const end = add('save', next, { slot: 2 * node.index + last })
        return add('save', emit(node.body, end), { slot: 2 * node.index + first })
      }
      case 'sequence': {
        const items = isBackward ? node.items : node.items.toReversed()
        return items.reduce((following, item) => emit(item, following), next)
      }
      case 'choice': {
        const entries = node.items.map((item) => emit(item, next))
        return entries.reduceRight((other, entry) => add('split', entry, { other }))
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
    add('split', isLazy ? next : entry, { other: isLazy ? entry : next })

  /** Once or more. */
  function emitLoop(body: Node, isLazy: boolean, next: number): number {
    const split = add('split', next)
    return closeLoop(split, emit(body, split), isLazy)
  }

  /** Any number of times. */
  function emitStar(body: Node, isLazy: boolean, next: number): number {
    const split = add('split', next)
    closeLoop(split, emit(body, split), isLazy)
    return split
  }

  /** A split that goes on at one place both ways until the beginning of its loop is known. */
  function closeLoop(split: number, entry: number, isLazy: boolean): number {
    const instruction = instructions[split]
    if (instruction !== undefined) instruction[isLazy ? 'other' : 'next'] = entry
    return entry
  }

  const start = emit(node, add('match', -1))
  return { instructions, start }
}

/** Compiles a look-around, or finds it if it was compiled before. */
export function compileLook(node: LookNode, looks: LookArounds): LookAround {
  const known = looks.known.get(node)
  if (known !== undefined) return known
  const { body, isBehind, isNegated, captures } = node
  const forward = compileProgram(body, false, looks)
  const backward = compileProgram(body, true, looks)
  const look: LookAround = {
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
