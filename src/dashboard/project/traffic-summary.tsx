import { Link } from '@tanstack/react-router'
import { showBytes, showDuration } from '#contract/amounts.ts'
import { readAnalytics } from '#contract/api/analytics.ts'
import { useAccount } from '../api/account.tsx'
import { useLater } from '../api/query.ts'
import { classes } from '../ui/classes.ts'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { formatCompact } from '../ui/text/format.ts'
import type { Project } from './project.ts'
import { Sparkline } from './sparkline.tsx'

/** What visitors did in the last day, in a few numbers. */
export function TrafficSummary({ project }: { project: Project }) {
  const { slug } = useAccount()
  const params = { account: slug, project: project.name }
  const { data, isError } = useLater('project', readAnalytics, { params: { idOrName: project.id } })
  if (isError) return null
  const failed = data?.totals.status['5xx'] ?? 0
  return (
    <Card
      title="Last 24 hours"
      actions={
        <Link
          to="/a/$account/projects/$project/analytics"
          params={params}
          className="text-sm text-accent hover:underline"
        >
          View analytics
        </Link>
      }
    >
      {data === undefined ? (
        <Skeleton className="h-24" />
      ) : data.totals.requests === 0 ? (
        <p className="text-sm text-soft">No requests yet. Traffic appears here with the first visit.</p>
      ) : (
        <div className="space-y-4">
          <Sparkline
            requests={data.points.map(({ requests }) => requests)}
            total={data.totals.requests}
            errors={failed}
          />
          <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
            <Fact name="Requests" value={formatCompact(data.totals.requests)} />
            <Fact name="Errors" value={formatCompact(failed)} isBad={failed > 0}>
              {failed > 0 && (
                <Link
                  to="/a/$account/projects/$project/logs"
                  params={params}
                  search={{ status: '5xx' }}
                  className="text-xs text-accent hover:underline"
                >
                  View in logs
                </Link>
              )}
            </Fact>
            <Fact name="p95 latency" value={showDuration(data.totals.p95)} />
            <Fact name="Data transfer" value={showBytes(data.totals.bytes)} />
          </dl>
        </div>
      )}
    </Card>
  )
}

const Fact = ({
  name,
  value,
  isBad = false,
  children,
}: {
  name: string
  value: string
  isBad?: boolean
  children?: React.ReactNode
}) => (
  <div>
    <dt className="text-sm text-soft">{name}</dt>
    <dd className={classes('text-lg font-semibold tabular-nums', isBad && 'text-bad')}>
      {value}
      {children && <span className="block font-normal">{children}</span>}
    </dd>
  </div>
)
