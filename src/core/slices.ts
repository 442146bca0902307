import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work after which others have their turn. */
const SLICE = 5
const LOOK_EVERY = 32

/**
 * Visits every item without keeping the process to itself: between slices of a few milliseconds whatever else is
 * waiting is served. For loops whose length a client chooses.
 */
export async function inSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  if (Array.isArray(items)) return listInSlices(items, visit)
  let until = performance.now() + SLICE
  let count = 0
  for (const item of items) {
    visit(item)
    if (++count % LOOK_EVERY !== 0 || performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE
  }
}

/** The same of what most of them are: to step from item to item takes a list no call. */
async function listInSlices<T>(items: readonly T[], visit: (item: T) => void): Promise<void> {
  let until = performance.now() + SLICE
  for (let i = 0; i < items.length; i++) {
    visit(items[i] as T)
    if ((i + 1) % LOOK_EVERY !== 0 || performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE
  }
}

/** To be awaited between two pieces of work that each take milliseconds for thousands of items. A few need no turn of their own. */
export const nextTurn = (count: number): Promise<void> | undefined =>
  count < FEW ? undefined : setImmediate()

const FEW = 1000

/** Sorted by `compare`, which takes turns with others as `inSlices` does: short runs are sorted, then merged. */
export async function sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort(compare))
    await setImmediate()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2)
      merged.push(await mergeInSlices(runs[i] as T[], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Sorted in three to five milliseconds; merging costs more than to sort what is not quite as short. */
const RUN = 10_000

async function mergeInSlices<T>(a: T[], b: T[], compare: (a: T, b: T) => number): Promise<T[]> {
  if (b.length === 0) return a
  if (compare(a.at(-1) as T, b[0] as T) <= 0) return [...a, ...b]
  const merged: T[] = []
  let [i, j] = [0, 0]
  await inSlices(range(a.length + b.length), () => {
    const fromA = j === b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0)
    merged.push((fromA ? a[i++] : b[j++]) as T)
  })
  return merged
}

function* range(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i
}
