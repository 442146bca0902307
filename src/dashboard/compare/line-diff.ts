export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** Its number before and after, from 1. */
  readonly before?: number
  readonly after?: number
}

/** Beyond so many differences the texts are not the same one any more, and looking further takes long. */
const MAX_EDITS = 600

const linesOf = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The lines of two texts: those that stayed, went and came (E. Myers, “An O(ND) Difference Algorithm”). */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++

  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  const same = () => lines.push({ kind: 'same', text: a[i] as string, before: ++i, after: ++j })
  const removed = () => lines.push({ kind: 'removed', text: a[i] as string, before: ++i })
  const added = () => lines.push({ kind: 'added', text: b[j] as string, after: ++j })

  while (i < start) same()
  for (const step of steps(a.slice(start, a.length - end), b.slice(start, b.length - end)))
    if (step === 'same') same()
    else if (step === 'removed') removed()
    else added()
  while (i < a.length) same()
  return lines
}

function steps(a: readonly string[], b: readonly string[]): DiffLine['kind'][] {
  const most = Math.min(a.length + b.length, MAX_EDITS)
  // How far along `a` each diagonal was reached with so many edits.
  let reached = new Map<number, number>([[1, 0]])
  const trail: Map<number, number>[] = []
  for (let edits = 0; edits <= most; edits++) {
    const next = new Map(reached)
    trail.push(reached)
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reached, k, edits) ? at(reached, k + 1) : at(reached, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(trail, a.length, b.length)
    }
    reached = next
  }
  return [...a.map(() => 'removed' as const), ...b.map(() => 'added' as const)]
}

const at = (reached: ReadonlyMap<number, number>, k: number): number => reached.get(k) ?? -1

/** Whether the best way to a diagonal is by a line that came, rather than by one that went. */
const isDown = (reached: ReadonlyMap<number, number>, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && at(reached, k - 1) < at(reached, k + 1))

function walkBack(trail: readonly Map<number, number>[], toX: number, toY: number): DiffLine['kind'][] {
  const back: DiffLine['kind'][] = []
  let [x, y] = [toX, toY]
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reached = trail[edits] as Map<number, number>
    const k = x - y
    const down = isDown(reached, k, edits)
    const fromX = at(reached, down ? k + 1 : k - 1)
    const fromY = fromX - (down ? k + 1 : k - 1)
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      back.push('same')
      x--
      y--
    }
    if (edits > 0) back.push(down ? 'added' : 'removed')
    x = fromX
    y = fromY
  }
  return back.reverse()
}

/** A run of lines to show, or how many between two runs stayed the same. */
export type DiffPart = { readonly lines: readonly DiffLine[] } | { readonly hidden: number }

const CONTEXT = 3

/** What changed, with a few lines around it. */
export function foldSame(lines: readonly DiffLine[]): DiffPart[] {
  const near = new Set<number>()
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let by = -CONTEXT; by <= CONTEXT; by++) near.add(index + by)
  const parts: DiffPart[] = []
  let run: DiffLine[] = []
  let hidden = 0
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) {
      if (hidden > 0) parts.push({ hidden })
      hidden = 0
      run.push(line)
    } else {
      if (run.length > 0) parts.push({ lines: run })
      run = []
      hidden++
    }
  }
  if (run.length > 0) parts.push({ lines: run })
  if (hidden > 0) parts.push({ hidden })
  return parts
}
