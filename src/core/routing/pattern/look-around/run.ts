import { isWord } from './char-set.ts'
import type { Instruction, LookAround, Program } from './program.ts'
import type { Assertion } from './syntax.ts'

/** A text that a pattern is tried on, and what is known about the look-arounds in it. */
export interface Input {
  readonly points: Int32Array
  readonly looks: LookResults[]
}

interface LookResults {
  /** How many places were tried one by one. */
  tried: number
  lastPlace: number
  lastResult: boolean
  /** For every place, once too many have been asked for. */
  all: Uint8Array | undefined
}

export const createInput = (points: Int32Array, lookCount: number): Input => ({
  points,
  looks: Array.from({ length: lookCount }, () => ({
    tried: 0,
    lastPlace: -1,
    lastResult: false,
    all: undefined,
  })),
})

/**
 * How many places a look-around is tried at one by one. Each may take as long as all places together, which are
 * found out in a single pass over the text, but most end at the first character.
 */
export const MAX_TRIED = 2

type Step = 1 | -1

/** Places in the text, -1 where there is none. */
export type Slots = readonly number[]

/** The places that a thread noted, the last one first. Threads share what they had in common. */
interface NotedPlace {
  readonly slot: number
  readonly place: number
  readonly before: NotedPlace | undefined
}

/** Instructions that are to be run, the preferred first, each with what was noted on the way to it. */
interface Threads {
  readonly at: number[]
  readonly noted: (NotedPlace | undefined)[]
}

/**
 * Runs a program from a place, and if it has a match there (one that ends at `end`, if that is given), puts the places
 * noted by the match that comes first in its order of preference over the slots. Takes as many steps as the text has
 * characters, each in time of the program's size.
 */
export function capture(
  { instructions, start }: Program,
  input: Input,
  { from, step, end }: { readonly from: number; readonly step: Step; readonly end?: number },
  slots: Slots,
): Slots | undefined {
  const { points } = input
  const marks = new Int32Array(instructions.length).fill(-1)
  let current: Threads = { at: [], noted: [] }
  let next: Threads = { at: [], noted: [] }
  const waiting: Threads = { at: [], noted: [] }
  let matched: Slots | undefined

  const follow = (to: Threads, start: number, place: number, given: NotedPlace | undefined): void => {
    push(waiting, start, given)
    for (let at = waiting.at.pop(); at !== undefined; at = waiting.at.pop()) {
      let noted = waiting.noted.pop()
      for (;;) {
        const instruction: Instruction | undefined = marks[at] === place ? undefined : instructions[at]
        if (instruction === undefined) break
        marks[at] = place
        const { op, slot } = instruction
        if (op === 'char' || op === 'match') {
          push(to, at, noted)
          break
        }
        if (!passes(instruction, input, place)) break
        if (op === 'split') push(waiting, instruction.other, noted)
        if (slot >= 0) noted = { slot, place, before: noted }
        at = instruction.next
      }
    }
  }

  follow(current, start, from, undefined)
  for (let place = from; current.at.length > 0; place += step) {
    const point = points[step === 1 ? place : place - 1]
    for (let thread = 0; thread < current.at.length; thread++) {
      const instruction = instructions[current.at[thread] ?? 0]
      if (instruction?.op === 'match') {
        if (end !== undefined && place !== end) continue
        matched = withNoted(slots, current.noted[thread])
        break
      }
      if (instruction !== undefined && point !== undefined && instruction.set.has(point))
        follow(next, instruction.next, place + step, current.noted[thread])
    }
    const done = current
    current = next
    next = done
    next.at.length = 0
    next.noted.length = 0
  }
  return matched
}

function push(threads: Threads, at: number, noted: NotedPlace | undefined): void {
  threads.at.push(at)
  threads.noted.push(noted)
}

function withNoted(slots: Slots, noted: NotedPlace | undefined): Slots {
  const changed = slots.slice()
  const isDone = new Set<number>()
  for (let each = noted; each !== undefined; each = each.before) {
    if (!isDone.has(each.slot)) changed[each.slot] = each.place
    isDone.add(each.slot)
  }
  return changed
}

/** Whether an instruction that takes no character lets a thread pass. */
function passes(instruction: Instruction, input: Input, place: number): boolean {
  if (instruction.op === 'assert') return holdsAssertion(instruction.test, input.points, place)
  return instruction.look === undefined || holds(instruction.look, input, place)
}

function holdsAssertion(test: Assertion, points: Int32Array, place: number): boolean {
  if (test === 'start') return place === 0
  if (test === 'end') return place === points.length
  const isEdge = isWord(points[place - 1]) !== isWord(points[place])
  return isEdge === (test === 'word-edge')
}

/** Whether what a look-around wants is so at a place. */
export function holds(look: LookAround, input: Input, place: number): boolean {
  return hasMatchAt(look, input, place) !== look.isNegated
}

function hasMatchAt(look: LookAround, input: Input, place: number): boolean {
  const results = input.looks[look.index]
  if (results === undefined) return false
  if (results.all !== undefined) return results.all[place] === 1
  if (results.lastPlace === place) return results.lastResult
  if (results.tried === MAX_TRIED) {
    results.all = look.isBehind ? arrivals(look.forward, input, 1) : arrivals(look.backward, input, -1)
    return results.all[place] === 1
  }
  results.tried++
  const result = look.isBehind
    ? reaches(look.backward, input, place, -1)
    : reaches(look.forward, input, place, 1)
  results.lastPlace = place
  results.lastResult = result
  return result
}

/** Whether the program has a match that starts at the place, wherever it ends. */
function reaches({ instructions, start }: Program, input: Input, from: number, step: Step): boolean {
  const marks = new Int32Array(instructions.length).fill(-1)
  let current: number[] = []
  if (follow(instructions, input, start, from, marks, current)) return true
  for (let place = from; current.length > 0; place += step) {
    const next: number[] = []
    if (advance(instructions, input, current, place, step, marks, next)) return true
    current = next
  }
  return false
}

/** For each place whether a match of the program ends there, wherever it starts. */
function arrivals({ instructions, start }: Program, input: Input, step: Step): Uint8Array {
  const { length } = input.points
  const found = new Uint8Array(length + 1)
  const marks = new Int32Array(instructions.length).fill(-1)
  let current: number[] = []
  let hasArrived = false
  for (let place = step === 1 ? 0 : length; place >= 0 && place <= length; place += step) {
    if (follow(instructions, input, start, place, marks, current)) hasArrived = true
    if (hasArrived) found[place] = 1
    const next: number[] = []
    hasArrived = advance(instructions, input, current, place, step, marks, next)
    current = next
  }
  return found
}

/** Takes the next character; whether that completes a match. */
function advance(
  instructions: readonly Instruction[],
  input: Input,
  current: readonly number[],
  place: number,
  step: Step,
  marks: Int32Array,
  next: number[],
): boolean {
  const point = input.points[step === 1 ? place : place - 1]
  if (point === undefined) return false
  let hasMatched = false
  for (const at of current) {
    const instruction = instructions[at]
    if (instruction?.op === 'char' && instruction.set.has(point))
      hasMatched = follow(instructions, input, instruction.next, place + step, marks, next) || hasMatched
  }
  return hasMatched
}

/** Adds the instructions that wait for a character, from one on; whether a match is among them. */
function follow(
  instructions: readonly Instruction[],
  input: Input,
  start: number,
  place: number,
  marks: Int32Array,
  to: number[],
): boolean {
  let hasMatched = false
  const stack = [start]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const instruction = marks[at] === place ? undefined : instructions[at]
    if (instruction === undefined) continue
    marks[at] = place
    if (instruction.op === 'match') hasMatched = true
    else if (instruction.op === 'char') to.push(at)
    else if (passes(instruction, input, place)) {
      if (instruction.op === 'split') stack.push(instruction.other)
      stack.push(instruction.next)
    }
  }
  return hasMatched
}
