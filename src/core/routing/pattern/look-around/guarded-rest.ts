import { ANY, type CharSet } from './char-set.ts'
import { compileLook, type LookAround, type LookArounds } from './program.ts'
import { holds, type Input } from './run.ts'
import type { LookNode, Node } from './syntax.ts'

/**
 * The shape of most patterns that look ahead, such as `/((?!api|_next).*)`: some characters, look-arounds at the place
 * after them, and then anything. It needs no program.
 */
export interface GuardedRest {
  readonly before: readonly CharSet[]
  readonly looks: readonly LookAround[]
  readonly minLength: number
  readonly captures: boolean
}

export function readGuardedRest(node: Node, groupCount: number, looks: LookArounds): GuardedRest | undefined {
  const items = itemsOf(node)
  const last = items.at(-1)
  const captures = last?.kind === 'group'
  if (groupCount !== Number(captures)) return undefined
  const flat = captures ? [...items.slice(0, -1), ...itemsOf(last.body)] : items
  const rest = flat.at(-1)
  if (rest?.kind !== 'repeat' || rest.min > 1 || Number.isFinite(rest.max) || !isAny(rest.body))
    return undefined
  const before: CharSet[] = []
  const guards: LookNode[] = []
  for (const [index, item] of flat.slice(0, -1).entries()) {
    // Characters come first, and only outside of the group.
    if (item.kind === 'chars' && guards.length === 0 && index < items.length - 1) before.push(item.set)
    else if (item.kind === 'look') guards.push(item.look)
    else return undefined
  }
  return { before, looks: guards.map((guard) => compileLook(guard, looks)), minLength: rest.min, captures }
}

/** Where the rest begins; undefined if the text does not match. */
export function matchGuardedRest(
  { before, looks, minLength }: GuardedRest,
  input: Input,
): number | undefined {
  const { points } = input
  if (points.length < before.length + minLength) return undefined
  for (const [place, set] of before.entries()) if (!set.has(points[place] ?? 0)) return undefined
  return looks.every((look) => holds(look, input, before.length)) ? before.length : undefined
}

const itemsOf = (node: Node): readonly Node[] => (node.kind === 'sequence' ? node.items : [node])

const isAny = (node: Node): boolean => node.kind === 'chars' && node.set === ANY
