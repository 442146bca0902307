import { useCallback, useMemo, useState } from 'react'
import { useAccount } from '../api/account.tsx'
import { useSearchText } from '../api/search.ts'
import { productionHost, useProject } from '../project/project.ts'
import { useIsProven } from '../project/use-proven.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { SelectField, Switch } from '../ui/control/field.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { saveText } from '../ui/save-file.ts'
import { groupEntries } from './group-entries.ts'
import { LEVELS, type LogRequest, RANGES, STATUSES, TYPES, toFilter, withOwn } from './log-filter.ts'
import { LogItem } from './log-row.tsx'
import { TypedFilter } from './typed-filter.tsx'
import { useFollow, useLogPages } from './use-logs.ts'

/** From so many rows on, those that are not seen are not laid out. */
const MANY_ROWS = 200

/** What visitors asked for and what programs wrote, past and as it happens. */
export function LogsPage() {
  const { slug: account } = useAccount()
  const project = useProject()
  const isProven = useIsProven()
  const [text, setText] = useSearchText('q')
  const [path, setPath] = useSearchText('path')
  const [status, setStatus] = useSearchText('status')
  const [level, setLevel] = useSearchText('level')
  const [type, setType] = useSearchText('type')
  const [range, setRange] = useSearchText('range')
  const [deployment, setDeployment] = useSearchText('deployment')
  const [target, setTarget] = useSearchText('target')
  const [live, setLive] = useSearchText('live')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const request: LogRequest = { text, path, status, level, type, range, deployment, target }
  const isFiltered = Object.values(request).some((value) => value !== '')
  // The moment that a range is counted from stays until another range is chosen.
  const now = useMemo(() => (range === '' ? 0 : Date.now()), [range])
  const filter = toFilter(request, now)
  const isLive = live !== ''

  const pages = useLogPages(project.id, filter)
  const followed = useFollow(project.id, filter, isLive)
  const past = useMemo(() => pages.data?.pages.flatMap(({ entries }) => entries) ?? [], [pages.data])
  const entries = useMemo(() => [...followed.entries, ...past], [followed.entries, past])
  const rows = useMemo(() => groupEntries(entries), [entries])
  const toggle = useCallback(
    (id: string) =>
      setOpen((before) => {
        const after = new Set(before)
        if (!after.delete(id)) after.add(id)
        return after
      }),
    [],
  )
  const save = () =>
    saveText(
      `${project.name}-log.jsonl`,
      groupless(entries)
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join(''),
      'application/jsonl',
    )

  return (
    <Page
      title={`${project.name} logs`}
      heading="Logs"
      actions={
        <>
          <div className="mr-2 flex items-center gap-3">
            <Switch
              label="Live"
              checked={isLive}
              onChange={(on) => {
                setLive(on ? 'on' : '')
                // What was followed is to stay in sight.
                if (!on) void pages.refetch()
              }}
            />
            {isLive && (
              <span role="status">
                <Badge tone={followed.isConnected ? 'good' : 'warn'}>
                  <span className="size-1.5 animate-pulse rounded-full bg-current" />
                  {followed.isConnected ? 'Live' : 'Connecting…'}
                </Badge>
              </span>
            )}
          </div>
          <Button
            icon="refresh"
            busy={pages.isRefetching && !pages.isFetchingNextPage}
            onClick={() => void pages.refetch()}
          >
            Refresh
          </Button>
          <Button icon="download" disabled={entries.length === 0} onClick={save}>
            Download
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <div className="lg:col-span-2">
          <TypedFilter label="Text" placeholder="Search text…" value={text} onChange={setText} />
        </div>
        <div className="lg:col-span-2">
          <TypedFilter label="Path" placeholder="/api/ or *login" mono value={path} onChange={setPath} />
        </div>
        <SelectField
          label="Status"
          hideLabel
          value={status}
          onChange={setStatus}
          options={withOwn(STATUSES, status)}
        />
        <SelectField label="Type" hideLabel value={type} onChange={setType} options={withOwn(TYPES, type)} />
        <SelectField
          label="Level"
          hideLabel
          value={level}
          onChange={setLevel}
          options={withOwn(LEVELS, level)}
        />
        <SelectField
          label="Time"
          hideLabel
          value={range}
          onChange={setRange}
          options={RANGES.map(({ value, label }) => ({ value, label }))}
        />
      </div>
      {(deployment !== '' || target !== '') && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          Filtered by{' '}
          {deployment !== '' && (
            <Chip label={`deployment ${deployment}`} onRemove={() => setDeployment('')} />
          )}
          {target !== '' && <Chip label={target} onRemove={() => setTarget('')} />}
        </p>
      )}
      {followed.problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {followed.problem}
        </p>
      )}
      <Card flush className="overflow-hidden">
        {pages.isError ? (
          <div className="p-4">
            <Problem error={pages.error} retry={() => void pages.refetch()} />
          </div>
        ) : pages.isPending ? (
          <Skeleton className="m-4 h-64" />
        ) : rows.length > 0 ? (
          <ul aria-label="Log" aria-busy={pages.isPlaceholderData}>
            {rows.map((row) => (
              <LogItem
                key={row.id}
                row={row}
                account={account}
                isOpen={open.has(row.id)}
                isLong={rows.length > MANY_ROWS}
                onToggle={toggle}
              />
            ))}
          </ul>
        ) : isFiltered ? (
          <Empty
            icon="search"
            title={pages.hasNextPage ? 'No results so far' : 'No matching entries'}
            action={
              <ButtonLink
                to="/a/$account/projects/$project/logs"
                params={{ account, project: project.name }}
                search={{}}
              >
                Clear filters
              </ButtonLink>
            }
          >
            {pages.hasNextPage
              ? 'Older entries haven’t been searched yet.'
              : 'No request or output matches these filters.'}
          </Empty>
        ) : (
          <Nothing host={productionHost(project, isProven)} />
        )}
        <ShowOlder
          pages={{
            more: pages.hasNextPage,
            busy: pages.isFetchingNextPage,
            showOlder: () => void pages.fetchNextPage(),
          }}
        />
      </Card>
    </Page>
  )
}

/** Each entry once, the newest first, as the API answered them. */
const groupless = <Entry extends { readonly id: string }>(entries: readonly Entry[]): readonly Entry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
]

const Chip = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <span className="inline-flex max-w-full min-w-0 items-center rounded-lg border border-line bg-panel pl-3 text-fg">
    <span className="min-w-0 truncate">{label}</span>
    <IconButton icon="close" label={`Remove filter: ${label}`} onClick={onRemove} />
  </span>
)

const Nothing = ({ host }: { host: string | undefined }) => (
  <Empty icon="logs" title="No logs yet">
    <p className="mb-3">
      Every request appears here with its status and duration, together with anything your code prints with
      console.log. Visit {host ?? 'a deployment'}, or follow along in your terminal:
    </p>
    <CopyLine text={`aloft logs${host === undefined ? '' : ` ${host}`} -f`} />
  </Empty>
)
