import { Link } from '@tanstack/react-router'
import { Badge, StateBadge } from '../../ui/badge.tsx'
import { OutLink } from '../../ui/control/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { formatCompact } from '../../ui/text/format.ts'
import { Time } from '../../ui/text/time.tsx'
import { addressOf, isRolledBack, type Project, productionHost } from '../project.ts'
import { sourceOf } from '../source.ts'
import { PinButton } from './pin-button.tsx'
import type { Visits } from './project-card.tsx'

/** Many projects, a line each. */
export const ProjectList = ({
  account,
  projects,
  visited,
  isProven,
  pinned,
  onPin,
}: {
  account: string
  projects: readonly Project[]
  visited: ReadonlyMap<string, Visits>
  isProven: (host: string) => boolean
  pinned: readonly string[]
  onPin: (id: string) => void
}) => (
  <Card flush>
    <Table
      label="Projects"
      dense
      rows={projects}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Project',
          cell: (project) => {
            const host = productionHost(project, isProven)
            return (
              <div className="min-w-0">
                <Link
                  to="/a/$account/projects/$project"
                  params={{ account, project: project.name }}
                  className="block max-w-40 truncate leading-6 font-medium hover:underline sm:max-w-72"
                >
                  {project.name}
                </Link>
                {host !== undefined && (
                  <OutLink
                    href={addressOf(host)}
                    className="block w-fit max-w-40 truncate leading-6 text-soft hover:text-fg hover:underline sm:max-w-72"
                  >
                    {host}
                  </OutLink>
                )}
              </div>
            )
          },
        },
        {
          title: 'Status',
          cell: (project) => {
            const [latest] = project.latestDeployments
            return (
              <span className="flex flex-wrap gap-1.5">
                {latest === undefined ? (
                  <Badge>No deployments</Badge>
                ) : (
                  <StateBadge state={latest.readyState} code={latest.errorCode} />
                )}
                {project.paused && <Badge tone="warn">Paused</Badge>}
                {isRolledBack(project) && <Badge tone="warn">Rolled back</Badge>}
              </span>
            )
          },
        },
        {
          title: 'Latest change',
          wide: true,
          cell: ({ latestDeployments: [latest] }) => {
            const { message, branch } = sourceOf(latest?.meta ?? {})
            return <span className="block max-w-64 truncate text-soft">{message ?? branch ?? '–'}</span>
          },
        },
        {
          title: 'Requests (24 h)',
          wide: true,
          align: 'right',
          cell: ({ id }) => formatCompact(visited.get(id)?.total ?? 0),
        },
        { title: 'Updated', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
      actions={({ id, name }) => (
        <PinButton name={name} on={pinned.includes(id)} onToggle={() => onPin(id)} />
      )}
    />
  </Card>
)
