import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Static } from 'typebox'
import { abortRelease, approveReleaseStage, completeRelease, getRelease } from '#contract/api/release.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useLater } from '../api/query.ts'
import { shortName } from '../deployment/deployment.ts'
import type { Project } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { ProgressBar } from '../ui/feedback/progress-bar.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Time } from '../ui/text/time.tsx'
import { ReleaseCharts } from './release-charts.tsx'

type Release = NonNullable<Static<typeof getRelease.reply>['rollingRelease']>
type ReleaseEnd = 'complete' | 'abort'

/** A release under way: how far it is, how both deployments do, and what can be done. Also why the last one went back. */
export function ReleaseCard({ project }: { project: Project }) {
  const { data } = useLater('project', getRelease, { params: { idOrName: project.id } })
  const release = data?.rollingRelease
  if (!release) return null
  if (release.state === 'ACTIVE') return <UnderWay project={project} release={release} />
  const isStill = project.targets.production?.id === release.currentDeployment?.id
  return release.state === 'ABORTED' && isStill && release.canaryDeployment ? (
    <Card title="Last release">
      <p className="text-sm">
        The release of <DeploymentName deployment={release.canaryDeployment} /> was aborted{' '}
        <Time at={release.updatedAt} />. {release.reason}
      </p>
    </Card>
  ) : null
}

function UnderWay({ project, release }: { project: Project; release: Release }) {
  const [end, setEnd] = useState<ReleaseEnd>()
  const { canaryDeployment: canary, currentDeployment: current, activeStage, nextStage } = release
  const params = { idOrName: project.id }
  const body = { canaryDeploymentId: canary?.id ?? '' }
  const approve = useAction(
    (nextStageIndex: number, { client }) =>
      client.call(approveReleaseStage, { params, body: { ...body, nextStageIndex } }),
    { changes: ['project', 'deployment'], done: 'Moved to the next stage.' },
  )
  const finish = useAction(
    (how: ReleaseEnd, { client }) =>
      client.call(how === 'complete' ? completeRelease : abortRelease, { params, body }),
    {
      changes: ['project', 'deployment'],
      done: (_, how) => (how === 'complete' ? 'All visitors get the new deployment.' : 'Release aborted.'),
      after: () => setEnd(undefined),
    },
  )
  const share = release.currentCanaryPercentage
  const isPaused = release.substate === 'PAUSED'
  return (
    <Card
      title="Rolling release"
      actions={
        <>
          {nextStage && activeStage && (
            <Button
              size="small"
              look="primary"
              busy={approve.isPending}
              onClick={() => approve.mutate(activeStage.index + 1)}
            >
              {nextStage.isFinalStage ? 'Release to everyone' : `Go to ${nextStage.targetPercentage}%`}
            </Button>
          )}
          {nextStage?.isFinalStage === false && (
            <Button size="small" onClick={() => setEnd('complete')}>
              Complete
            </Button>
          )}
          <Button size="small" icon="undo" onClick={() => setEnd('abort')}>
            Abort
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="space-y-2">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span className="text-lg font-semibold tabular-nums">{share}%</span> of visitors get
            {canary && <DeploymentName deployment={canary} />}
            {isPaused ? <Badge tone="warn">Paused</Badge> : <NextStage release={release} />}
          </p>
          <ProgressBar label="Share of visitors" done={share} of={100} bad={isPaused} />
          {release.reason !== null && <p className="text-sm text-warn">{release.reason}</p>}
        </div>
        {canary && current && (
          <ReleaseCharts
            projectId={project.id}
            startedAt={release.startedAt}
            current={current}
            canary={canary}
          />
        )}
      </div>
      {end !== undefined && (
        <Confirm
          title={end === 'complete' ? 'Complete the release?' : 'Abort the release?'}
          action={end === 'complete' ? 'Release to everyone' : 'Abort the release'}
          look={end === 'complete' ? 'primary' : 'danger'}
          busy={finish.isPending}
          onConfirm={() => finish.mutate(end)}
          onClose={() => setEnd(undefined)}
        >
          <p>
            {end === 'complete'
              ? 'All visitors get the new deployment immediately.'
              : 'All visitors get the deployment that was live before. The next production deployment starts a new release.'}
          </p>
        </Confirm>
      )}
    </Card>
  )
}

const NextStage = ({ release: { nextStage, nextStageAt } }: { release: Release }) =>
  nextStage === null ? null : nextStageAt === null ? (
    <span className="text-soft">· {nextStage.targetPercentage}% once you approve</span>
  ) : (
    <span className="text-soft">
      · {nextStage.targetPercentage}% <Time at={nextStageAt} />
    </span>
  )

const DeploymentName = ({ deployment: { id, url } }: { deployment: { id: string; url: string } }) => {
  const { slug: account } = useAccount()
  return (
    <Link
      to="/a/$account/deployments/$deployment"
      params={{ account, deployment: id }}
      className="font-medium underline"
    >
      {shortName(url, id)}
    </Link>
  )
}
