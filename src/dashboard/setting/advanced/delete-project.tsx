import { useNavigate } from '@tanstack/react-router'
import { deleteProject } from '#contract/api/project.ts'
import { useAccount } from '../../api/account.tsx'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { DeleteCard } from '../../ui/dialog/delete-card.tsx'

/** The end of a project. */
export function DeleteProject({ project }: { project: Project }) {
  const account = useAccount()
  const navigate = useNavigate()
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
    <DeleteCard
      what="project"
      name={project.name}
      about="Deletes the project with its deployments, domains, variables and logs. Its domains respond with 410 Gone. This can't be undone."
      busy={remove.isPending}
      onDelete={() => remove.mutate(undefined)}
    >
      All of its deployments, domains and variables are deleted and the site goes offline. To take the site
      offline temporarily, pause the project instead.
    </DeleteCard>
  )
}
