import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { showBytes, showDuration } from '#contract/amounts.ts'
import { type ProjectTraffic, readAnalytics, type TrafficPath } from '#contract/api/analytics.ts'
import { useAccount } from '../api/account.tsx'
import { useSearchText } from '../api/search.ts'
import { addressOf, productionHost, useProject } from '../project/project.ts'
import { useIsProven } from '../project/use-proven.ts'
import { Button, OutLink } from '../ui/control/button.tsx'
import { SelectField } from '../ui/control/field.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { ChartCard } from './chart-card.tsx'
import { RANGES, rangeOf } from './ranges.ts'
import { CHARTS } from './series.ts'
import { Totals } from './totals.tsx'

const TARGETS = [
  { value: 'all', label: 'All environments' },
  { value: 'production', label: 'Production' },
  { value: 'preview', label: 'Preview' },
] as const
type Target = (typeof TARGETS)[number]['value']

/** Visits as the edge counted them. Asked for anew when the page is looked at again, or when somebody says so. */
function useTraffic(projectId: string, range: string, target: Target) {
  const { id, client } = useAccount()
  return useQuery({
    queryKey: [id, 'traffic', projectId, range, target],
    queryFn: ({ signal }) => {
      const from = Date.now() - rangeOf(range).ms
      return client.call(readAnalytics, { params: { idOrName: projectId }, query: { from, target }, signal })
    },
    placeholderData: keepPreviousData,
  })
}

/** How many visit a project, what they get, and how fast. */
export function AnalyticsPage() {
  const project = useProject()
  const isProven = useIsProven()
  const [range, setRange] = useSearchText('range', '24h')
  const [target, setTarget] = useSearchText('target', 'all')
  const shown = TARGETS.some(({ value }) => value === target) ? (target as Target) : 'all'
  const traffic = useTraffic(project.id, rangeOf(range).value, shown)

  return (
    <Page
      title={`${project.name} analytics`}
      heading="Analytics"
      about="Measured by the server, without cookies or scripts on your pages."
      actions={
        <>
          <SelectField
            label="Time"
            hideLabel
            value={rangeOf(range).value}
            onChange={setRange}
            options={RANGES.map(({ value, label }) => ({ value, label }))}
          />
          <SelectField label="Environment" hideLabel value={shown} onChange={setTarget} options={TARGETS} />
          <Button icon="refresh" busy={traffic.isFetching} onClick={() => void traffic.refetch()}>
            Refresh
          </Button>
        </>
      }
    >
      {traffic.isError ? (
        <Problem error={traffic.error} retry={() => void traffic.refetch()} />
      ) : traffic.data === undefined ? (
        <>
          <Skeleton className="h-40" />
          <Skeleton className="h-72" />
        </>
      ) : traffic.data.totals.requests === 0 ? (
        <Card>
          <Nobody host={productionHost(project, isProven)} range={rangeOf(range).label.toLowerCase()} />
        </Card>
      ) : (
        <Numbers traffic={traffic.data} projectName={project.name} />
      )}
    </Page>
  )
}

const Nobody = ({ host, range }: { host: string | undefined; range: string }) => (
  <Empty
    icon="chart"
    title={`No requests in the ${range}`}
    action={host !== undefined && <OutLink href={addressOf(host)}>Visit {host}</OutLink>}
  >
    Requests appear here within a few seconds. Choose a longer period, or visit the site.
  </Empty>
)

function Numbers({ traffic, projectName }: { traffic: ProjectTraffic; projectName: string }) {
  const { slug: account } = useAccount()
  const params = { account, project: projectName }
  const [first, ...others] = CHARTS
  return (
    <>
      <Totals
        totals={traffic.totals}
        errors={
          <Link
            to="/a/$account/projects/$project/logs"
            params={params}
            search={{ status: '5xx' }}
            className="text-accent hover:underline"
          >
            View in logs
          </Link>
        }
      />
      {first !== undefined && <ChartCard kind={first} points={traffic.points} step={traffic.step} />}
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        {others.map((kind) => (
          <ChartCard key={kind.title} kind={kind} points={traffic.points} step={traffic.step} />
        ))}
        <TopPaths paths={traffic.topPaths} params={params} />
      </div>
    </>
  )
}

const Whole = ({ children }: { children: string }) => <span className="whitespace-nowrap">{children}</span>

const TopPaths = ({
  paths,
  params,
}: {
  paths: readonly TrafficPath[]
  params: { readonly account: string; readonly project: string }
}) => (
  <Card
    title="Top paths"
    about={
      paths.length === 0 ? 'The most requested paths, updated once a minute.' : 'The most requested paths.'
    }
    flush
  >
    <Table
      label="Top paths"
      rows={paths}
      rowKey={({ path }) => path}
      columns={[
        {
          title: 'Path',
          cell: ({ path }) => (
            <Link
              to="/a/$account/projects/$project/logs"
              params={params}
              search={{ path: path.replace(/…$/, '') }}
              title={path}
              className="block max-w-36 truncate font-mono text-[0.8125rem] hover:underline sm:max-w-52"
            >
              {path}
            </Link>
          ),
        },
        { title: 'Requests', align: 'right', cell: ({ requests }) => formatNumber(requests) },
        {
          title: 'Errors',
          align: 'right',
          cell: ({ errors }) => (
            <span className={errors > 0 ? 'text-bad' : 'text-soft'}>{formatNumber(errors)}</span>
          ),
        },
        { title: 'p95', wide: true, align: 'right', cell: ({ p95 }) => <Whole>{showDuration(p95)}</Whole> },
        {
          title: 'Data',
          wide: true,
          align: 'right',
          cell: ({ bytes }) => <Whole>{showBytes(bytes)}</Whole>,
        },
      ]}
    />
  </Card>
)
