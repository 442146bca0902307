import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listDeployments } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { useLater } from '../api/query.ts'
import { MoveDialog } from '../compare/move-dialog.tsx'
import type { Promoted } from '../compare/promoted.ts'
import { shortName } from '../deployment/deployment.ts'
import { Button } from '../ui/control/button.tsx'
import { Time } from '../ui/text/time.tsx'
import { isRolledBack, type Project } from './project.ts'

/** Above every page of a project that was rolled back: what production stays at, and the way out. */
export function RolledBackBanner({ project }: { project: Project }) {
  const { slug: account } = useAccount()
  // Stays open after it is done, when there is no banner any more.
  const [promoted, setPromoted] = useState<Promoted>()
  const isHeld = isRolledBack(project)
  const { data } = useLater(
    'deployment',
    listDeployments,
    { query: { projectId: project.id, target: 'production', state: 'READY', limit: 1 } },
    { enabled: isHeld },
  )
  const live = project.targets.production
  const newest = data?.deployments[0]
  const since = project.lastRollbackTarget?.requestedAt
  return (
    <>
      {isHeld && (
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
            <Button
              size="small"
              icon="undo"
              onClick={() => setPromoted({ id: newest.uid, created: newest.created })}
            >
              Undo rollback
            </Button>
          )}
        </div>
      )}
      {promoted !== undefined && (
        <MoveDialog undo project={project} promoted={promoted} onClose={() => setPromoted(undefined)} />
      )}
    </>
  )
}
