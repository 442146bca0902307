import type { TrafficTarget } from '#contract/api/analytics.ts'
import { cutText } from '../log/cut-text.ts'
import { addTally, createTally, type Tally } from './tally.ts'
import { STEPS, type Step, type TrafficRow, WHOLE } from './traffic-store.ts'

/** What one process counted of one deployment in one minute; the paths may be of more visits than the sum. */
export interface Counts {
  readonly projectId: string
  readonly deploymentId: string
  readonly target: TrafficTarget
  /** When the minute begins. */
  readonly at: number
  /** Nothing more is counted with it, nor with those of the paths: the rows have the same ones. */
  readonly tally: Tally
  readonly paths: Iterable<{ readonly path: string; readonly tally: Tally }>
}

const ALL: readonly Step[] = ['minute', 'hour', 'day']
/** There are many paths, so counting each of them by the minute would cost more than it is worth. */
const OF_PATHS: readonly Step[] = ['hour', 'day']

const PATH_BYTES = 1024

/**
 * The rows that counts add to: those of the deployment and those of its project, which stay when the deployment is
 * deleted, of the minute, the hour and the day at once. Thereby nothing has to be added up later, and what is read
 * is one row a step, whatever the time and however many deployments.
 */
export function rollUp(counts: Iterable<Counts>): TrafficRow[] {
  const rows = new Map<string, TrafficRow>()
  /** Several rows share a tally until something else is added to one of them. These are the tallies that are a row's own. */
  const sums = new Set<Tally>()

  function add(row: Omit<TrafficRow, 'tally'>, tally: Tally): void {
    const { projectId, deploymentId, step, at, target, path = '' } = row
    const key = `${projectId} ${deploymentId} ${step} ${at} ${target} ${path}`
    const there = rows.get(key)
    if (there === undefined) {
      rows.set(key, { ...row, tally })
      return
    }
    if (!sums.has(there.tally)) {
      const sum = addTally(createTally(), there.tally)
      sums.add(sum)
      rows.set(key, { ...row, tally: sum })
      addTally(sum, tally)
    } else addTally(there.tally, tally)
  }

  for (const { projectId, deploymentId, target, at, tally, paths } of counts) {
    const isEmpty = tally[0] === 0
    const named = [...paths].map((each) => ({ path: cutText(each.path, PATH_BYTES), tally: each.tally }))
    for (const id of [WHOLE, deploymentId]) {
      const scope = { projectId, deploymentId: id, target }
      if (!isEmpty) for (const step of ALL) add({ ...scope, step, at: startOf(step, at) }, tally)
      for (const step of OF_PATHS)
        for (const each of named) add({ ...scope, step, at: startOf(step, at), path: each.path }, each.tally)
    }
  }
  // Everybody adds to rows in the same order, so that nobody waits for one who waits for them.
  return [...rows.keys()].sort().map((key) => rows.get(key) as TrafficRow)
}

/** When the step began that this time is in. */
export const startOf = (step: Step, at: number): number => at - (at % STEPS[step])
