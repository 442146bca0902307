import { useState } from 'react'
import { pauseProject, unpauseProject } from '#contract/api/project.ts'
import { useAction } from '../api/query.ts'
import type { Project } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'

/** Takes production off the net for a while, and puts it back. */
export function PauseCard({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false)
  const pause = useAction(
    (_: undefined, { client }) => client.call(pauseProject, { params: { projectId: project.id } }),
    { changes: ['project', 'deployment'], done: 'Paused. Visitors of production are told so.' },
  )
  const unpause = useAction(
    (_: undefined, { client }) => client.call(unpauseProject, { params: { projectId: project.id } }),
    { changes: ['project', 'deployment'], done: 'Production answers again.' },
  )
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            Pause {project.paused && <Badge tone="warn">Paused</Badge>}
          </span>
        }
        about={
          project.paused
            ? 'Visitors of production get a page that says the site is paused (503). Previews go on. What is deployed to production meanwhile waits, and the newest goes live when you go on.'
            : 'Visitors of production get a page that says the site is paused (503) until you go on. Previews go on.'
        }
        actions={
          project.paused ? (
            <Button
              icon="play"
              look="primary"
              busy={unpause.isPending}
              onClick={() => unpause.mutate(undefined)}
            >
              Go on
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
          action="Pause it"
          busy={pause.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => pause.mutate(undefined, { onSuccess: () => setAsking(false) })}
        >
          <p>Everything that shows production answers 503 until you go on. Nothing is lost.</p>
        </Confirm>
      )}
    </>
  )
}
