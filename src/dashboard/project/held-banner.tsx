import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useLater } from '../api/query.ts'
import { MoveDialog } from '../compare/move-dialog.tsx'
import { shortName } from '../deployment/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import type { Project } from './project.ts'

/** Above every page of a project that was rolled back: what production stays at, and the way out. */
export function HeldBanner({ project }: { project: Project }) {
  const { slug: account } = useAccount()
  const [undoing, setUndoing] = useState(false)
  const live = project.targets.production
  const { data } = useLater('deployment', listDeployments, {
    query: { projectId: project.id, target: 'production', state: 'READY', limit: 1 },
  })
  const newest = data?.deployments[0]
  const waits = newest !== undefined && live !== undefined && newest.created > live.createdAt
  const since = project.lastRollbackTarget?.requestedAt
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line bg-warn-soft px-4 py-2.5 text-sm text-warn"
    >
      <p>
        Production is held at{' '}
        {live === undefined ? (
          'an earlier deployment'
        ) : (
          <Link
            to="/a/$account/deployments/$deployment"
            params={{ account, deployment: live.id }}
            className="font-medium underline"
          >
            {shortName(live.url, live.id)}
          </Link>
        )}{' '}
        since your rollback
        {since !== undefined && (
          <>
            {' '}
            <Time at={since} />
          </>
        )}
        . New production deployments don’t go live.
      </p>
      {newest !== undefined && (
        <Button size="small" icon="undo" onClick={() => setUndoing(true)}>
          {waits ? 'Undo rollback' : 'Resume automatic promotion'}
        </Button>
      )}
      {undoing && newest !== undefined && (
        <MoveDialog
          undo
          project={project}
          goal={{ id: newest.uid, created: newest.created, target: newest.target }}
          onClose={() => setUndoing(false)}
        />
      )}
    </div>
  )
}
