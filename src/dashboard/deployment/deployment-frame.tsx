import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { cancelDeployment, deleteDeployment, redeployDeployment } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { useAccount } from '../api/account.tsx'
import { useNames } from '../api/people.ts'
import { useAction, useLater } from '../api/query.ts'
import { MoveDialog } from '../compare/move-dialog.tsx'
import { isBack } from '../compare/promoted.ts'
import { addressOf, type Project } from '../project/project.ts'
import { Badge, StateBadge } from '../ui/badge.tsx'
import { Button, buttonClass } from '../ui/control/button.tsx'
import { Menu, MenuItem, MenuLine, MenuLink } from '../ui/control/menu.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { PageSkeleton } from '../ui/feedback/skeleton.tsx'
import { toast } from '../ui/feedback/toast.tsx'
import { Icon } from '../ui/icon.tsx'
import { Tabs } from '../ui/layout/tabs.tsx'
import { Time } from '../ui/text/time.tsx'
import { type Deployment, isOver, shortName, useDeployment } from './deployment.ts'
import { targetName } from './target-name.ts'

/** Above every page of a deployment: which one it is, how it is, and what can be done with it. */
export function DeploymentFrame() {
  const { slug: account } = useAccount()
  const deployment = useDeployment()
  const names = useNames()
  const { data: project } = useLater('project', getProject, { params: { idOrName: deployment.projectId } })
  const params = { account, deployment: deployment.id }
  const isLive = project?.targets.production?.id === deployment.id
  const creator = names(deployment.creator.uid)
  const projectName = project?.name ?? deployment.name

  return (
    <>
      <div className="border-b border-line bg-panel">
        <div className="mx-auto w-full max-w-6xl px-4 pt-5 sm:px-8">
          <Link
            to="/a/$account/projects/$project"
            params={{ account, project: projectName }}
            className="inline-block max-w-full truncate text-sm text-soft hover:text-fg"
          >
            ← {projectName}
          </Link>
          <div className="mt-1 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
            <div className="min-w-0 space-y-1.5">
              <p className="text-xl font-semibold tracking-tight break-all">
                {shortName(deployment.url, deployment.id)}
              </p>
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-sm text-soft">
                <StateBadge state={deployment.readyState} code={deployment.errorCode} />
                {isLive ? <Badge tone="accent">Live</Badge> : <Badge>{targetName(deployment)}</Badge>}
                <span>
                  <Time at={deployment.createdAt} />
                  {creator !== undefined && ` by ${creator}`}
                </span>
              </div>
            </div>
            <div className="flex items-center gap-2">
              {deployment.readyState === 'READY' && deployment.url !== null && (
                <a
                  href={addressOf(deployment.url)}
                  target="_blank"
                  rel="noopener noreferrer"
                  className={buttonClass({ look: 'primary', size: 'small' })}
                >
                  <Icon name="external" /> Visit<span className="sr-only"> (opens in a new tab)</span>
                </a>
              )}
              <Actions deployment={deployment} project={project} />
            </div>
          </div>
          <div className="-mb-px mt-3">
            <Tabs
              label="Deployment"
              tabs={[
                {
                  label: 'Build',
                  to: '/a/$account/deployments/$deployment',
                  params,
                  activeOptions: { exact: true, includeSearch: false },
                },
                { label: 'Source', to: '/a/$account/deployments/$deployment/source', params },
                { label: 'Output', to: '/a/$account/deployments/$deployment/output', params },
                { label: 'Instances', to: '/a/$account/deployments/$deployment/instances', params },
                {
                  label: 'Logs',
                  to: '/a/$account/projects/$project/logs',
                  params: { account, project: projectName },
                  search: { deployment: deployment.id },
                },
              ]}
            />
          </div>
        </div>
      </div>
      <Suspense fallback={<PageSkeleton />}>
        <Outlet />
      </Suspense>
    </>
  )
}

function Actions({ deployment, project }: { deployment: Deployment; project: Project | undefined }) {
  const { slug: account } = useAccount()
  const navigate = useNavigate()
  const [moving, setMoving] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [repeating, setRepeating] = useState(false)
  const [cancelling, setCancelling] = useState(false)
  const live = project?.targets.production?.id
  const isLive = live === deployment.id
  const isReady = deployment.readyState === 'READY'
  const promoted = { id: deployment.id, created: deployment.createdAt, liveAt: deployment.liveAt }
  const remove = useAction(
    (_: undefined, { client }) => client.call(deleteDeployment, { params: { id: deployment.id } }),
    {
      changes: [],
      done: 'Deployment deleted.',
      after: () => void navigate({ to: '/a/$account/deployments', params: { account } }),
    },
  )
  const redeploy = useAction(
    (_: undefined, { client }) =>
      client.call(redeployDeployment, { params: { id: deployment.id }, body: {} }),
    {
      changes: ['deployment', 'project'],
      done: 'Redeployment created.',
      after: ({ id }) => {
        setRepeating(false)
        void navigate({ to: '/a/$account/deployments/$deployment', params: { account, deployment: id } })
      },
    },
  )
  const cancel = useAction(
    (_: undefined, { client }) => client.call(cancelDeployment, { params: { id: deployment.id } }),
    { changes: ['deployment', 'project'], done: 'Build cancelled.', after: () => setCancelling(false) },
  )
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(addressOf(deployment.url ?? ''))
      toast.good('URL copied.')
    } catch {
      toast.bad('Your browser blocked clipboard access. Visit the deployment and copy its URL there.')
    }
  }
  const projectName = project?.name ?? deployment.name
  const back = project !== undefined && isBack(project, promoted)

  return (
    <>
      <Menu trigger={<Button size="small">Actions</Button>}>
        {project !== undefined && isReady && !isLive && (
          <MenuItem icon={back ? 'undo' : 'rocket'} onSelect={() => setMoving(true)}>
            {back ? 'Roll back to this deployment' : 'Promote to production'}
          </MenuItem>
        )}
        {isOver(deployment.readyState) ? (
          <MenuItem icon="refresh" onSelect={() => setRepeating(true)}>
            Redeploy
          </MenuItem>
        ) : (
          <MenuItem icon="close" onSelect={() => setCancelling(true)}>
            Cancel build
          </MenuItem>
        )}
        {project !== undefined && live !== undefined && !isLive && (
          <MenuLink>
            <Link
              to="/a/$account/projects/$project/compare"
              params={{ account, project: project.name }}
              search={{ from: live, to: deployment.id }}
            >
              <Icon name="copy" /> Compare with production
            </Link>
          </MenuLink>
        )}
        {deployment.url !== null && (
          <MenuItem icon="alias" onSelect={() => void copy()}>
            Copy URL
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon="trash" danger onSelect={() => setLeaving(true)}>
          Delete
        </MenuItem>
      </Menu>
      {moving && project !== undefined && (
        <MoveDialog project={project} promoted={promoted} onClose={() => setMoving(false)} />
      )}
      {repeating && (
        <Confirm
          title="Redeploy?"
          action="Redeploy"
          look="primary"
          busy={redeploy.isPending}
          onConfirm={() => redeploy.mutate(undefined)}
          onClose={() => setRepeating(false)}
        >
          <p>
            The same files are deployed again, with the variables and settings that {projectName} has now.
            Variables that came with this deployment stay as they were.
          </p>
          {deployment.target === 'production' && <p>Production shows the result once it is ready.</p>}
        </Confirm>
      )}
      {cancelling && (
        <Confirm
          title="Cancel this build?"
          action="Cancel build"
          keep="Keep building"
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate(undefined)}
          onClose={() => setCancelling(false)}
        >
          <p>{live !== undefined && 'Production doesn’t change. '}You can redeploy later.</p>
        </Confirm>
      )}
      {leaving && (
        <Confirm
          title="Delete this deployment?"
          action="Delete deployment"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setLeaving(false)}
        >
          <p>
            Its URL stops working and its logs are deleted. Other deployments of {deployment.name} are not
            affected.
          </p>
          {isLive && (
            <p className="text-bad">
              This deployment is in production. Your site will be down until you promote another.
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}
