import { type ProjectTraffic, SPARKLINES, type TrafficTarget } from '#contract/api/analytics.ts'
import { invalidRequest } from '#contract/errors.ts'
import { DAY, HOUR } from '#contract/time.ts'
import type { Context } from '../access/context.ts'
import type { Clock } from '../ports/clock.ts'
import { startOf } from './roll-up.ts'
import { addTally, createTally, showTally, type Tally } from './tally.ts'
import { KEPT } from './traffic-cleanup.ts'
import {
  STEPS,
  type Step,
  type TrafficScope,
  type TrafficStore,
  type TrafficTime,
  WHOLE,
} from './traffic-store.ts'

interface TrafficRequest {
  /** In ms; a day before `to` unless said. */
  readonly from?: number | undefined
  /** In ms, excluded; now unless said. */
  readonly to?: number | undefined
  readonly target?: TrafficTarget | undefined
  readonly deploymentId?: string | undefined
}

/** Requests of a project, hour by hour. */
interface Sparkline {
  readonly id: string
  readonly requests: readonly number[]
  readonly total: number
  readonly errors: number
}

interface Sparklines {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly projects: readonly Sparkline[]
}

export interface Analytics {
  /** The visits of a project. */
  read(ctx: Context, idOrName: string, request: TrafficRequest): Promise<ProjectTraffic>
  /** The requests of each of these projects of the account, or of those that changed last. */
  sparklines(ctx: Context, hours: number, ids?: readonly string[]): Promise<Sparklines>
}

interface AnalyticsParts {
  readonly store: Pick<TrafficStore, 'read' | 'topPaths' | 'hours'>
  /** A project that the caller may see. */
  readonly findProject: (ctx: Context, idOrName: string) => Promise<{ readonly id: string }>
  /** The ids of projects that the caller may see, those that changed last: all, or which of these. */
  readonly listProjects: (ctx: Context, limit: number, ids?: readonly string[]) => Promise<readonly string[]>
  readonly clock: Clock
}

/** What charts can show: minutes of this long, hours of this long, and for all that is longer, days. */
const MINUTES_OF = 6 * HOUR
const HOURS_OF = 14 * DAY

const TOP_PATHS = 20

/** Where the steps begin and end that a time is shown by: the finest that were kept so long. */
function timeOf({ from, to }: TrafficRequest, now: number): TrafficTime {
  const end = Math.min(to ?? now, now + 1)
  const start = Math.max(from ?? end - DAY, now - KEPT.all.day)
  if (start >= end) throw invalidRequest('`from` should be before `to`, and not in the future')
  const [length, age] = [end - start, now - start]
  const step: Step =
    length <= MINUTES_OF && age < KEPT.all.minute
      ? 'minute'
      : length <= HOURS_OF && age < KEPT.all.hour
        ? 'hour'
        : 'day'
  return { step, from: startOf(step, start), to: startOf(step, end - 1) + STEPS[step] }
}

/** Paths are counted by hours, kept for a short while, and by days. */
const pathTimeOf = ({ from, to, step }: TrafficTime, now: number): TrafficTime => {
  const isRecent = step !== 'day' && now - from < KEPT.paths.hour
  const wider: Step = isRecent ? 'hour' : 'day'
  return { step: wider, from: startOf(wider, from), to: startOf(wider, to - 1) + STEPS[wider] }
}

export function createAnalytics({ store, findProject, listProjects, clock }: AnalyticsParts): Analytics {
  return {
    async read(ctx, idOrName, request) {
      const { id } = await findProject(ctx, idOrName)
      const { target, deploymentId = WHOLE } = request
      const now = clock.now()
      const time = timeOf(request, now)
      const scope: TrafficScope = { projectId: id, deploymentId }
      const rows = await store.read(scope, time, target)
      const paths = await store.topPaths(scope, pathTimeOf(time, now), TOP_PATHS, target)
      const byTime = new Map<number, Tally>()
      const totals = createTally()
      for (const { at, tally } of rows) {
        byTime.set(at, addTally(byTime.get(at) ?? createTally(), tally))
        addTally(totals, tally)
      }
      const step = STEPS[time.step]
      const nothing = createTally()
      return {
        ...{ from: time.from, to: time.to, step },
        points: Array.from({ length: (time.to - time.from) / step }, (_, i) => {
          const at = time.from + i * step
          return { at, ...showTally(byTime.get(at) ?? nothing) }
        }),
        totals: showTally(totals),
        topPaths: paths.map(({ path, tally }) => {
          const { requests, status, p95, bytes } = showTally(tally)
          return { path, requests, errors: status['5xx'], p95, bytes }
        }),
      }
    },

    async sparklines(ctx, hours, wanted) {
      if (wanted && wanted.length > SPARKLINES)
        throw invalidRequest(`\`ids\` should be at most ${SPARKLINES}`)
      const to = startOf('hour', clock.now()) + HOUR
      const from = to - hours * HOUR
      const ids = await listProjects(ctx, SPARKLINES, wanted)
      const lines = new Map(
        ids.map((id) => [id, { id, requests: Array<number>(hours).fill(0), total: 0, errors: 0 }]),
      )
      for (const { projectId, at, requests, errors } of await store.hours(ids, from, to)) {
        const line = lines.get(projectId)
        const index = (at - from) / HOUR
        if (line?.requests[index] === undefined) continue
        line.requests[index] += requests
        line.total += requests
        line.errors += errors
      }
      return { from, to, step: HOUR, projects: [...lines.values()] }
    },
  }
}
