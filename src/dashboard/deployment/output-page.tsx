import { Link } from '@tanstack/react-router'
import { showBytes, showDuration, showMemory } from '#contract/amounts.ts'
import { listBuilds } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useRead } from '../api/query.ts'
import { Badge, StateBadge } from '../ui/badge.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'
import { type DeploymentOutput, isOver, shortName, useDeployment, useOutput } from './deployment.ts'
import { Routes } from './routes.tsx'

/** What came out of the build: files, functions, and the rules between them. */
export function OutputPage() {
  const deployment = useDeployment()
  const output = useOutput(deployment.id)
  const { builds } = useRead('deployment', listBuilds, { params: { id: deployment.id } })
  const { readyState, createdAt } = deployment
  return (
    <Page title={`Output of ${shortName(deployment.url, deployment.id)}`} heading="Output">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
        <Total name="Static files" value={formatNumber(output.files.count)} />
        <Total name="Total size" value={showBytes(output.files.bytes)} />
        <Total name="Functions" value={formatNumber(output.functionCount)} />
        <Total
          name="Build time"
          value={output.readyAt === undefined ? '–' : showDuration(Math.max(output.readyAt - createdAt, 0))}
        />
      </dl>
      <Card title="Builds" flush>
        {builds.length === 0 ? (
          <Empty icon="box" title="No builds">
            The files are served as deployed.
          </Empty>
        ) : (
          <Table
            label="Builds"
            rows={builds}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Path',
                cell: ({ path }) => <code className="font-mono text-[0.8125rem] break-all">{path}</code>,
              },
              { title: 'Builder', cell: ({ use }) => use },
              { title: 'Status', cell: ({ readyState }) => <StateBadge state={readyState} /> },
              {
                title: 'Deployed to',
                wide: true,
                cell: ({ deployedTo }) => (deployedTo.length === 0 ? '–' : deployedTo.join(', ')),
              },
              {
                title: 'Finished',
                wide: true,
                cell: ({ readyStateAt }) => <Time at={readyStateAt} />,
              },
            ]}
          />
        )}
      </Card>
      <Functions output={output} isOver={isOver(readyState)} />
      <Routes routes={output.routes} />
      <Variables names={deployment.env} buildNames={deployment.build.env} />
    </Page>
  )
}

const Total = ({ name, value }: { name: string; value: string }) => (
  <div className="bg-panel px-5 py-4">
    <dt className="text-sm text-soft">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{value}</dd>
  </div>
)

const RUNTIMES: Readonly<Record<string, string>> = { node: 'Node.js', python: 'Python', docker: 'Container' }
const SHAPES: Readonly<Record<string, string>> = {
  handler: 'Function',
  edge: 'Edge function',
  command: 'Server',
}

const kept = (revalidate: number | false | undefined): string =>
  revalidate === undefined
    ? '–'
    : revalidate === false
      ? 'Indefinitely'
      : `${showDuration(revalidate * 1000)}`

function Functions({ output, isOver }: { output: DeploymentOutput; isOver: boolean }) {
  const { slug: account } = useAccount()
  const { id } = useDeployment()
  const programs = new Map(output.programs.map((program) => [program.id, program]))
  const hasKept = output.functions.some(({ revalidate }) => revalidate !== undefined)
  return (
    <Card
      title="Functions"
      about="Paths that are handled by code instead of a file."
      flush
      {...(output.programs.length > 0 && {
        actions: (
          <Link
            to="/a/$account/deployments/$deployment/instances"
            params={{ account, deployment: id }}
            className="text-sm text-accent hover:underline"
          >
            Running instances
          </Link>
        ),
      })}
      {...(output.functionCount > output.functions.length && {
        footer: `The first ${formatNumber(output.functions.length)} of ${formatNumber(output.functionCount)}.`,
      })}
    >
      {output.functions.length === 0 ? (
        <Empty icon="bolt" title={isOver ? 'No functions' : 'Not built yet'}>
          {isOver
            ? 'Everything is served as static files. Add a file to an api folder to create a function.'
            : 'Functions are listed here when the build finishes.'}
        </Empty>
      ) : (
        <Table
          label="Functions"
          rows={output.functions}
          rowKey={({ path }) => path}
          columns={[
            {
              title: 'Path',
              cell: ({ path, program }) => (
                <>
                  <code className="font-mono text-[0.8125rem] font-medium break-all">
                    /{path === 'index' ? '' : path}
                  </code>
                  <span className="block text-soft">
                    {SHAPES[programs.get(program)?.shape ?? ''] ?? 'Function'}
                  </span>
                </>
              ),
            },
            {
              title: 'Runtime',
              cell: ({ program }) => {
                const found = programs.get(program)
                if (found === undefined) return '–'
                const { runtime, version } = found
                return (
                  <Badge>
                    {RUNTIMES[runtime] ?? runtime} {version}
                  </Badge>
                )
              },
            },
            {
              title: 'Memory',
              wide: true,
              align: 'right',
              cell: ({ program }) => showMemory(programs.get(program)?.memoryMb ?? 0),
            },
            {
              title: 'Time limit',
              wide: true,
              align: 'right',
              cell: ({ program }) => showDuration((programs.get(program)?.maxDuration ?? 0) * 1000),
            },
            {
              title: 'Size',
              align: 'right',
              cell: ({ program }) => showBytes(programs.get(program)?.bytes ?? 0),
            },
            ...(hasKept
              ? [
                  {
                    title: 'Cached for',
                    wide: true,
                    cell: ({ revalidate }: (typeof output.functions)[number]) => kept(revalidate),
                  },
                ]
              : []),
          ]}
        />
      )}
    </Card>
  )
}

function Variables({ names, buildNames }: { names: readonly string[]; buildNames: readonly string[] }) {
  const all = [...new Set([...names, ...buildNames])].toSorted()
  if (all.length === 0) return null
  const used = (name: string) =>
    [names.includes(name) && 'at runtime', buildNames.includes(name) && 'at build time']
      .filter(Boolean)
      .join(' and ')
  return (
    <Card title="Environment variables" about="Names only. Values are stored encrypted." flush>
      <Table
        label="Variables"
        rows={all}
        rowKey={(name) => name}
        columns={[
          {
            title: 'Name',
            cell: (name) => <code className="font-mono text-[0.8125rem] break-all">{name}</code>,
          },
          { title: 'Available', cell: (name) => used(name) },
        ]}
      />
    </Card>
  )
}
