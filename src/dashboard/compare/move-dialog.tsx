import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { listMovedAliases, promoteDeployment, rollBackProject } from '#contract/api/project-production.ts'
import { useAccount } from '../api/account.tsx'
import { useAction, useLater } from '../api/query.ts'
import { addressOf, type Project } from '../project/project.ts'
import { Button, OutLink } from '../ui/control/button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { Failure } from '../ui/feedback/failure.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { Spinner } from '../ui/feedback/spinner.tsx'
import { Icon } from '../ui/icon.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'
import { ChangeCounts, ChangeMark, SettingChanges } from './change-mark.tsx'
import { isBack, type Promoted } from './promoted.ts'
import { useComparison } from './use-comparison.ts'

const SHOWN = 8

/** Promotes a deployment or rolls back to it, after showing what that changes for visitors. */
export function MoveDialog({
  project,
  promoted,
  undo = false,
  onClose,
}: {
  project: Project
  promoted: Promoted
  /** Ends the hold that a rollback put on production. */
  undo?: boolean
  onClose: () => void
}) {
  // As it was when the dialog opened: doing it changes what is live.
  const [{ live, back }] = useState({
    live: project.targets.production,
    back: !undo && isBack(project, promoted),
  })
  const row = back ? rollBackProject : promoteDeployment
  const move = useAction(
    (_: undefined, { client }) =>
      client.call(row, { params: { projectId: project.id, deploymentId: promoted.id } }),
    { changes: ['project', 'deployment', 'alias'], quiet: true },
  )
  const isDone = move.isSuccess
  return (
    <Dialog
      wide
      title={back ? 'Roll back production' : undo ? 'Undo rollback' : 'Promote to production'}
      about={
        <>
          Deployment created <Time at={promoted.created} />
          {live !== undefined && (
            <>
              , replacing the one created <Time at={live.createdAt} />
            </>
          )}
          .
        </>
      }
      onClose={onClose}
    >
      {isDone ? (
        <Moved project={project} promoted={promoted} onClose={onClose} />
      ) : (
        <div className="space-y-5">
          {live === undefined ? (
            <p className="text-sm">
              This project has no production deployment yet. Visitors will see this one.
            </p>
          ) : (
            <Suspense fallback={<Skeleton className="h-40" />}>
              <Difference project={project} from={live.id} to={promoted.id} onClose={onClose} />
            </Suspense>
          )}
          {back && (
            <p className="flex items-start gap-2.5 rounded-lg bg-warn-soft p-3 text-sm text-warn">
              <Icon name="pause" className="mt-0.5 size-4" />
              Production stays on this deployment until you promote another or undo the rollback. New
              production deployments won't go live automatically.
            </p>
          )}
          <Failure error={move.error} />
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              icon={back ? 'undo' : 'rocket'}
              busy={move.isPending}
              onClick={() => move.mutate(undefined)}
            >
              {back ? 'Roll back' : undo ? 'Undo rollback' : 'Promote'}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}

function Difference({
  project,
  from,
  to,
  onClose,
}: {
  project: Project
  from: string
  to: string
  onClose: () => void
}) {
  const { slug } = useAccount()
  const { files, settings } = useComparison(from, to)
  return (
    <div className="space-y-4">
      <ChangeCounts files={files} />
      {files.length > 0 && (
        <ul className="max-h-56 overflow-y-auto rounded-lg border border-line bg-bg py-1 text-sm">
          {files.slice(0, SHOWN).map(({ path, change }) => (
            <li key={path} className="flex items-center gap-2.5 px-3 py-1">
              <ChangeMark change={change} />
              <span className="min-w-0 truncate font-mono text-[0.8125rem]">{path}</span>
            </li>
          ))}
          {files.length > SHOWN && (
            <li className="px-3 py-1 text-soft">and {formatNumber(files.length - SHOWN)} more</li>
          )}
        </ul>
      )}
      {settings.length > 0 && <SettingChanges settings={settings} />}
      <Link
        to="/a/$account/projects/$project/compare"
        params={{ account: slug, project: project.name }}
        search={{ from, to }}
        onClick={onClose}
        className="inline-block text-sm text-accent hover:underline"
      >
        View full diff
      </Link>
    </div>
  )
}

/** Which names lead to it by now. */
function Moved({
  project,
  promoted,
  onClose,
}: {
  project: Project
  promoted: Promoted
  onClose: () => void
}) {
  const { data } = useLater('project', listMovedAliases, {
    params: { projectId: project.id },
    query: { limit: 50 },
  })
  const state =
    project.lastAliasRequest?.toDeploymentId === promoted.id ? project.lastAliasRequest.jobStatus : ''
  const isGoing = state === 'pending' || state === 'in-progress'
  return (
    <div className="space-y-4">
      <p role="status" className="flex items-center gap-2.5 font-medium">
        {isGoing ? (
          <Spinner />
        ) : (
          <span className="text-good">
            <Icon name="check" className="size-5" />
          </span>
        )}
        {isGoing ? 'Updating domains…' : 'Now in production'}
      </p>
      <ul className="space-y-1 text-sm">
        {data?.aliases.map(({ alias, status }) => (
          <li key={alias} className="flex min-h-7 items-center gap-2">
            <Icon name={status === 'failed' ? 'warning' : status === 'pending' ? 'clock' : 'check'} />
            <OutLink href={addressOf(alias)} className="leading-7 break-all text-accent hover:underline">
              {alias}
            </OutLink>
            {status === 'failed' && <span className="text-bad">couldn't be updated</span>}
          </li>
        ))}
      </ul>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
