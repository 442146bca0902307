import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteProject } from '#contract/api/project.ts'
import { useAccount } from '../../api/account.tsx'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'

/** The end of a project. */
export function DeleteCard({ project }: { project: Project }) {
  const account = useAccount()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  // Leaves first: what this page shows is not to be asked for again.
  const remove = useAction(
    async (_: undefined, { client }) => {
      await client.call(deleteProject, { params: { idOrName: project.id } })
      await navigate({ to: '/a/$account', params: { account: account.slug }, replace: true })
    },
    {
      changes: ['project', 'deployment', 'alias', 'project-domain'],
      done: `${project.name} deleted.`,
    },
  )
  return (
    <>
      <Card
        className="border-bad/40"
        title="Delete project"
        about="Deletes the project with its deployments, domains, variables and logs. Its domains respond with 410 Gone. This can't be undone."
        actions={
          <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
            Delete…
          </Button>
        }
      />
      {asking && (
        <Confirm
          title={`Delete ${project.name}?`}
          action="Delete project"
          word={project.name}
          busy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate(undefined)}
        >
          <p>
            All of its deployments, domains and variables are deleted and the site goes offline. To take the
            site offline temporarily, pause the project instead.
          </p>
        </Confirm>
      )}
    </>
  )
}
