import { useState } from 'react'
import { pauseProject, unpauseProject } from '#contract/api/project-production.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/control/button.tsx'
import { Confirm } from '../../ui/dialog/confirm.tsx'
import { Card } from '../../ui/layout/card.tsx'

/** Takes production off the net for a while, and puts it back. */
export function PauseCard({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false)
  const pause = useAction(
    (_: undefined, { client }) => client.call(pauseProject, { params: { projectId: project.id } }),
    { changes: ['project', 'deployment'], done: 'Project paused. Production responds with 503.' },
  )
  const unpause = useAction(
    (_: undefined, { client }) => client.call(unpauseProject, { params: { projectId: project.id } }),
    { changes: ['project', 'deployment'], done: 'Project resumed.' },
  )
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            {' '}
            Pause project {project.paused && <Badge tone="warn">Paused</Badge>}
          </span>
        }
        about={
          project.paused
            ? 'Production shows a “paused” page (503) until you resume. Previews keep working. The latest production deployment goes live when you resume.'
            : 'Production shows a “paused” page (503) until you resume. Previews keep working.'
        }
        actions={
          project.paused ? (
            <Button
              icon="play"
              look="primary"
              busy={unpause.isPending}
              onClick={() => unpause.mutate(undefined)}
            >
              Resume
            </Button>
          ) : (
            <Button icon="pause" onClick={() => setAsking(true)}>
              Pause
            </Button>
          )
        }
      />
      {asking && (
        <Confirm
          title={`Pause ${project.name}?`}
          action="Pause project"
          busy={pause.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => pause.mutate(undefined, { onSuccess: () => setAsking(false) })}
        >
          <p>All production domains respond with 503 until you resume. Nothing is deleted.</p>
        </Confirm>
      )}
    </>
  )
}
