import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { MoveDialog } from '../compare/move-dialog.tsx'
import { isBack } from '../compare/promoted.ts'
import { targetName } from '../deployment/target-name.ts'
import { Badge, StateBadge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { Menu, MenuItem, MenuLink } from '../ui/control/menu.tsx'
import { Icon } from '../ui/icon.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { addressOf, type Project } from './project.ts'
import { SourceNote } from './source-note.tsx'

type ListedDeployment = Static<typeof listDeployments.reply>['deployments'][number]

/** Deployments of a project, each with what brings it to production. */
export function DeploymentRows({
  label,
  project,
  rows,
}: {
  label: string
  project: Project
  rows: readonly ListedDeployment[]
}) {
  const { slug: account } = useAccount()
  const [moving, setMoving] = useState<ListedDeployment>()
  const live = project.targets.production?.id

  const deed = (row: ListedDeployment) => (isBack(project, row) ? 'Roll back' : 'Promote')
  const canMove = ({ uid, state }: ListedDeployment) => uid !== live && state === 'READY'

  return (
    <>
      <Table
        label={label}
        rows={rows}
        rowKey={({ uid }) => uid}
        columns={[
          {
            title: 'Deployment',
            cell: ({ uid, url, state, errorCode, target, customEnvironment, created }) => (
              <div className="min-w-0 space-y-1.5">
                <Link
                  to="/a/$account/deployments/$deployment"
                  params={{ account, deployment: uid }}
                  className="block max-w-44 truncate leading-6 font-medium hover:underline sm:max-w-64"
                >
                  {url?.split('.')[0] ?? uid}
                </Link>
                <div className="flex flex-wrap items-center gap-1.5">
                  <StateBadge state={state} code={errorCode} />
                  {uid === live ? (
                    <Badge tone="accent">Live</Badge>
                  ) : (
                    <Badge>{targetName({ target, customEnvironment })}</Badge>
                  )}
                  <span className="text-soft md:hidden">
                    <Time at={created} />
                  </span>
                </div>
              </div>
            ),
          },
          {
            title: 'Source',
            wide: true,
            cell: ({ meta }) => (
              <div className="max-w-64">
                <SourceNote meta={meta} />
              </div>
            ),
          },
          { title: 'Created', wide: true, cell: ({ created }) => <Time at={created} /> },
        ]}
        actions={(row) => (
          <div className="flex items-center justify-end gap-1">
            {canMove(row) && (
              <Button
                size="small"
                icon={isBack(project, row) ? 'undo' : 'rocket'}
                className="max-sm:hidden"
                onClick={() => setMoving(row)}
              >
                {deed(row)}
              </Button>
            )}
            <Menu
              trigger={<IconButton icon="dots" label={`Actions for ${row.url?.split('.')[0] ?? row.uid}`} />}
            >
              {row.state === 'READY' && row.url !== null && (
                <MenuLink>
                  <a href={addressOf(row.url)} target="_blank" rel="noopener noreferrer">
                    <Icon name="external" /> Visit
                  </a>
                </MenuLink>
              )}
              <MenuLink>
                <Link to="/a/$account/deployments/$deployment" params={{ account, deployment: row.uid }}>
                  <Icon name="logs" /> Build log
                </Link>
              </MenuLink>
              {live !== undefined && row.uid !== live && (
                <MenuLink>
                  <Link
                    to="/a/$account/projects/$project/compare"
                    params={{ account, project: project.name }}
                    search={{ from: live, to: row.uid }}
                  >
                    <Icon name="copy" /> Compare with production
                  </Link>
                </MenuLink>
              )}
              {canMove(row) && (
                <MenuItem icon={isBack(project, row) ? 'undo' : 'rocket'} onSelect={() => setMoving(row)}>
                  {deed(row)}
                </MenuItem>
              )}
            </Menu>
          </div>
        )}
      />
      {moving !== undefined && (
        <MoveDialog
          project={project}
          promoted={{ id: moving.uid, created: moving.created, liveAt: moving.liveAt }}
          onClose={() => setMoving(undefined)}
        />
      )}
    </>
  )
}
