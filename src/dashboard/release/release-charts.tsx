import { useMemo } from 'react'
import { showDuration } from '#contract/amounts.ts'
import { type ProjectTraffic, readAnalytics, type TrafficPoint } from '#contract/api/analytics.ts'
import { ChartCard } from '../analytics/chart-card.tsx'
import type { ChartKind } from '../analytics/series.ts'
import { useLater } from '../api/query.ts'
import { Skeleton } from '../ui/feedback/skeleton.tsx'

const errorRate = ({ requests, status }: TrafficPoint): number =>
  requests === 0 ? 0 : (100 * status['5xx']) / requests
const percent = (value: number): string => `${Math.round(value * 10) / 10}%`

const MEASURES = [
  {
    title: 'Error rate',
    about: 'Server errors (5xx).',
    of: errorRate,
    format: percent,
  },
  {
    title: 'p95 latency',
    about: '95% of requests are faster.',
    of: ({ p95 }: TrafficPoint) => p95,
    format: showDuration,
  },
] as const

/** The points of the live deployment, with those of the new one drawn beside them. */
function kindsOf(canary: ProjectTraffic): readonly ChartKind[] {
  const beside = new Map(canary.points.map((point) => [point.at, point]))
  return MEASURES.map(({ title, about, of, format }) => ({
    ...{ title, about, format, short: format, form: 'lines' as const },
    series: [
      { name: 'Live', colour: '--accent', value: of },
      {
        name: 'New',
        colour: '--warn',
        value: ({ at }) => {
          const point = beside.get(at)
          return point === undefined ? 0 : of(point)
        },
      },
    ],
  }))
}

/** Both deployments of a release as two curves. */
export function ReleaseCharts({
  projectId,
  startedAt,
  current,
  canary,
}: {
  projectId: string
  startedAt: number
  current: { readonly id: string }
  canary: { readonly id: string }
}) {
  const queryOf = (deploymentId: string) => ({
    params: { idOrName: projectId },
    query: { from: startedAt, target: 'production' as const, deploymentId },
  })
  const live = useLater('project', readAnalytics, queryOf(current.id)).data
  const fresh = useLater('project', readAnalytics, queryOf(canary.id)).data
  const kinds = useMemo(() => (fresh === undefined ? [] : kindsOf(fresh)), [fresh])
  if (live === undefined || fresh === undefined) return <Skeleton className="h-56" />
  if (live.totals.requests + fresh.totals.requests === 0)
    return <p className="text-sm text-soft">No requests since the release began.</p>
  return (
    <>
      <p className="text-sm text-soft">
        {live.totals.requests} requests to the live deployment, {fresh.totals.requests} to the new one.
      </p>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        {kinds.map((kind) => (
          <ChartCard key={kind.title} kind={kind} points={live.points} step={live.step} />
        ))}
      </div>
    </>
  )
}
