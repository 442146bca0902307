import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { hostsOf, isOwnHost } from '#client/hosts.ts'
import { HISTORY, previousOf } from '#client/production-history.ts'
import { showDuration } from '#contract/amounts.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useLater, useRead } from '../api/query.ts'
import { MoveDialog } from '../compare/move-dialog.tsx'
import type { Promoted } from '../compare/promoted.ts'
import { ReleaseCard } from '../release/release-card.tsx'
import { StateBadge } from '../ui/badge.tsx'
import { Button, ButtonLink, buttonClass } from '../ui/control/button.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'
import { DeploymentRows } from './deployment-rows.tsx'
import { HostLine } from './host-line.tsx'
import { Preview } from './preview.tsx'
import { addressOf, type Project, type ShownDeployment, useProject } from './project.ts'
import { SourceNote } from './source-note.tsx'
import { TrafficSummary } from './traffic-summary.tsx'
import { useIsProven } from './use-proven.ts'

const RECENT = 5
/** What needs no build is ready with the answer: there is nothing to tell. */
const AT_ONCE = 100

/** A project at a glance: what is live, how it does, and what happened last. */
export function OverviewPage() {
  const { slug } = useAccount()
  const project = useProject()
  const live = project.targets.production
  const params = { account: slug, project: project.name }
  const { deployments } = useRead('deployment', listDeployments, {
    query: { projectId: project.id, limit: RECENT },
  })
  return (
    <Page title={project.name} heading="Overview">
      {live === undefined ? <NothingLive project={project} /> : <Live project={project} live={live} />}
      <ReleaseCard project={project} />
      <TrafficSummary project={project} />
      {deployments.length > 0 && (
        <Card
          flush
          title="Recent deployments"
          actions={
            <Link
              to="/a/$account/projects/$project/deployments"
              params={params}
              className="text-sm text-accent hover:underline"
            >
              All deployments
            </Link>
          }
        >
          <DeploymentRows label="Recent deployments" project={project} rows={deployments} />
        </Card>
      )}
    </Page>
  )
}

const NothingLive = ({ project }: { project: Project }) => {
  const { slug } = useAccount()
  return (
    <Card>
      <Empty
        icon="rocket"
        title="No production deployment"
        action={
          <ButtonLink
            look="primary"
            icon="upload"
            to="/a/$account/new"
            params={{ account: slug }}
            search={{ project: project.name }}
          >
            Deploy to production
          </ButtonLink>
        }
      >
        {project.latestDeployments.length > 0
          ? 'Promote a deployment below, or deploy to production.'
          : 'Upload a folder, or run aloft --prod in it.'}
      </Empty>
    </Card>
  )
}

/** What production showed before this one, to go back to with one click. */
function useBefore(project: Project, live: ShownDeployment) {
  const { data } = useLater('deployment', listDeployments, {
    query: { projectId: project.id, state: 'READY', limit: HISTORY },
  })
  return data && previousOf(live, data.deployments)
}

function Live({ project, live }: { project: Project; live: ShownDeployment }) {
  const { slug } = useAccount()
  const [promoted, setPromoted] = useState<Promoted>()
  const before = useBefore(project, live)
  const hosts = hostsOf(live, useIsProven())
  const address = addressOf(hosts[0] ?? '')

  return (
    <section
      aria-label="Production"
      className="grid overflow-hidden rounded-xl border border-line bg-panel md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]"
    >
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        className="block border-line max-md:border-b md:border-r"
      >
        <span className="sr-only">Open the site (opens in a new tab)</span>
        <Preview id={live.id} createdAt={live.createdAt} name={project.name} className="md:h-full" />
      </a>
      <div className="flex min-w-0 flex-col gap-5 p-5">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="flex items-center gap-2.5 font-semibold">
            Production <StateBadge state={live.readyState} />
          </h2>
          <div className="flex flex-wrap gap-2">
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass({ look: 'primary', size: 'small' })}
            >
              <Icon name="external" /> Visit<span className="sr-only"> (opens in a new tab)</span>
            </a>
            {before !== undefined && (
              <Button
                size="small"
                icon="undo"
                onClick={() =>
                  setPromoted({ id: before.uid, created: before.created, liveAt: before.liveAt })
                }
              >
                Roll back
              </Button>
            )}
            <ButtonLink
              size="small"
              icon="logs"
              to="/a/$account/deployments/$deployment"
              params={{ account: slug, deployment: live.id }}
            >
              Inspect
            </ButtonLink>
          </div>
        </div>
        <Facts
          facts={[
            [
              'Domains',
              <span key="hosts" className="flex flex-col">
                {hosts.map((host) => (
                  <HostLine key={host} project={project} host={host} isCustom={!isOwnHost(host, live.url)} />
                ))}
              </span>,
            ],
            ['Source', <SourceNote key="source" meta={live.meta} />],
            [
              'Deployed',
              <span key="when">
                <Time at={live.createdAt} />
                {live.creator !== null && ` by ${live.creator.username}`}
              </span>,
            ],
            ...(live.readyAt === undefined || live.readyAt - live.createdAt < AT_ONCE
              ? []
              : [['Build time', showDuration(live.readyAt - live.createdAt)] as const]),
          ]}
        />
      </div>
      {promoted !== undefined && (
        <MoveDialog project={project} promoted={promoted} onClose={() => setPromoted(undefined)} />
      )}
    </section>
  )
}
