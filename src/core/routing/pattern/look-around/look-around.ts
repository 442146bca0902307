import type { Groups } from '../../url/template.ts'
import type { Token } from '../pattern-tokens.ts'
import type { Regex } from '../regex-engine.ts'
import { type GuardedRest, matchGuardedRest, readGuardedRest } from './guarded-rest.ts'
import { compileProgram, type LookArounds, type Program } from './program.ts'
import { capture, createInput, type Input, MAX_TRIED, type Slots } from './run.ts'
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
  const groupCount = tokens.filter((token) => token.kind === 'open' && token.captures).length
  const looks: LookArounds = { firstSlot: 2 * groupCount + 2, all: [], known: new Map() }
  const tree = parse(tokens, isCaseSensitive)
  const guarded = readGuardedRest(tree, groupCount, looks)
  const program = compileProgram(tree, false, looks)
  // Both directions have programs of the same size.
  const lookSize = sum(looks.all.map(({ forward }) => sizeOf(forward)))
  const isAskedOnce = guarded?.looks.length === looks.all.length
  const programWork = sizeOf(program) * (1 + groupCount / GROUPS_PER_STEP)
  return {
    match: (text) => {
      const input = createInput(pointsOf(text), looks.all.length)
      return guarded ? matchGuarded(guarded, input, text) : match(program, looks, groupCount, input, text)
    },
    size: sizeOf(program) + 2 * lookSize,
    workPerChar: (guarded ? 1 : programWork) + lookSize * (isAskedOnce ? 1 : MAX_TRIED + 1),
  }
}

function matchGuarded(guarded: GuardedRest, input: Input, text: string): Groups | undefined {
  const start = matchGuardedRest(guarded, input)
  if (start === undefined) return undefined
  const rest = textOf(text, input.points, start, input.points.length)
  return guarded.captures ? [rest] : []
}

const sizeOf = ({ instructions }: Program): number => instructions.length

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

function match(
  program: Program,
  looks: LookArounds,
  groupCount: number,
  input: Input,
  text: string,
): Groups | undefined {
  const { points } = input
  const none = Array<number>(looks.firstSlot + looks.all.length).fill(-1)
  const slots = capture(program, input, { from: 0, step: 1, end: points.length }, none)
  if (slots === undefined) return undefined
  const all = captureLooks(looks, input, slots)
  return Array.from({ length: groupCount }, (_, index) =>
    textOf(text, points, all[2 * index + 2] ?? -1, all[2 * index + 3] ?? -1),
  )
}

/** Captures what is in the look-arounds that the match passed: outer ones first, as they lead to those inside. */
function captureLooks(looks: LookArounds, input: Input, slots: Slots): Slots {
  let all = slots
  for (const look of looks.all.toReversed()) {
    const from = all[looks.firstSlot + look.index] ?? -1
    if (!look.captures || from < 0) continue
    const [program, step] = look.isBehind ? ([look.backward, -1] as const) : ([look.forward, 1] as const)
    all = capture(program, input, { from, step }, all) ?? all
  }
  return all
}

function pointsOf(text: string): Int32Array {
  const points = new Int32Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const point = text.codePointAt(at) ?? 0
    points[count] = point
    at += point > 0xffff ? 2 : 1
  }
  return points.subarray(0, count)
}

function textOf(text: string, points: Int32Array, start: number, end: number): string | undefined {
  if (start < 0 || end < 0) return undefined
  // Without pairs of surrogates, characters and code units are the same.
  if (points.length === text.length) return text.slice(start, end)
  return String.fromCodePoint(...points.slice(start, end))
}
