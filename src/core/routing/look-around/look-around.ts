import type { Token } from '../pattern-tokens.ts'
import type { Regex } from '../regex-engine.ts'
import type { Groups } from '../template.ts'
import { compileProgram, type Look, type Looks, type Program } from './program.ts'
import { capture, createInput, type Input, MAX_TRIED } from './run.ts'
import { parse } from './syntax.ts'

const MAX_LOOKS = 100
const GROUPS_PER_STEP = 32

/**
 * Compiles a pattern that looks ahead or behind, for matching in linear time. A look-around asks only about a place in
 * the text, so that the answers for all places can be found in one pass over it, as those for the pattern itself.
 * Groups keep what they captured last, as in the engine for all other patterns. Throws an Error that says what is wrong
 * with the pattern.
 */
export function compileLookAround(tokens: readonly Token[], isCaseSensitive: boolean): Regex {
  if (tokens.filter((token) => token.kind === 'open' && token.look !== undefined).length > MAX_LOOKS)
    throw new Error(`it looks around in more than ${MAX_LOOKS} places`)
  const looks: Looks = { all: [], known: new Map() }
  const program = compileProgram(parse(tokens, isCaseSensitive), false, looks)
  const groupCount = tokens.filter((token) => token.kind === 'open' && token.captures).length
  const lookSize = sum(looks.all.map(({ forward, backward }) => sizeOf(forward) + sizeOf(backward)))
  return {
    match: (text) => match(program, looks.all, groupCount, text),
    size: sizeOf(program) + lookSize,
    workPerChar: sizeOf(program) * (1 + groupCount / GROUPS_PER_STEP) + lookSize * (MAX_TRIED + 1),
  }
}

const sizeOf = ({ instructions }: Program): number => instructions.length

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

function match(
  program: Program,
  looks: readonly Look[],
  groupCount: number,
  text: string,
): Groups | undefined {
  const points = Array.from(text, (char) => char.codePointAt(0) ?? 0)
  const input = createInput(points, looks.length)
  const firstLookSlot = 2 * groupCount + 2
  const none = new Int32Array(firstLookSlot + looks.length).fill(-1)
  const slots = capture(program, input, 0, 1, none, firstLookSlot, points.length)
  if (slots === undefined) return undefined
  const whole = captureLooks(looks, input, slots, firstLookSlot)
  return Array.from({ length: groupCount }, (_, index) =>
    textOf(text, points, whole[2 * index + 2] ?? -1, whole[2 * index + 3] ?? -1),
  )
}

/** Captures what is in the look-arounds that the match passed: outer ones first, as they lead to those inside. */
function captureLooks(
  looks: readonly Look[],
  input: Input,
  slots: Int32Array,
  firstLookSlot: number,
): Int32Array {
  let all = slots
  for (const look of looks.toReversed()) {
    const place = all[firstLookSlot + look.index] ?? -1
    if (!look.captures || place < 0) continue
    const program = look.isBehind ? look.backward : look.forward
    all = capture(program, input, place, look.isBehind ? -1 : 1, all, firstLookSlot) ?? all
  }
  return all
}

function textOf(text: string, points: readonly number[], start: number, end: number): string | undefined {
  if (start < 0 || end < 0) return undefined
  // Without pairs of surrogates, characters and code units are the same.
  if (points.length === text.length) return text.slice(start, end)
  return String.fromCodePoint(...points.slice(start, end))
}
