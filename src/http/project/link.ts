import { type GitLink, PRODUCTION_BRANCH, repoNumber } from '#core/project/git-link.ts'
import type { Project } from '#core/project/project.ts'
import type { DeployHook } from '#core/project/project-details.ts'

/** With their addresses, which are secrets: whoever may read the project may deploy it. */
const deployHooks = (projectId: string, hooks: readonly DeployHook[], site: string) =>
  hooks.map(({ id, name, ref, createdAt }) => ({
    ...{ id, name, ref, createdAt },
    url: `${site}/v1/integrations/deploy/${projectId}/${id}`,
  }))

/** Where the code of a project comes from; nothing where nobody has said. */
export function linkOf({ id, details }: Pick<Project, 'id' | 'details'>, site: string) {
  const { link: linked, productionBranch } = details
  const ours = {
    productionBranch: productionBranch ?? PRODUCTION_BRANCH,
    deployHooks: deployHooks(id, details.deployHooks, site),
  }
  if (linked !== null) return { link: { ...link(linked), ...ours } }
  if (details.deployHooks.length === 0 && productionBranch === null) return {}
  return { link: { type: 'git', ...ours, sourceless: true } }
}

/** A link in the words of the host it leads to. */
function link(l: GitLink) {
  const parts = l.repo.split('/')
  const name = parts.at(-1) ?? ''
  const owner = parts.slice(0, -1).join('/')
  const common = {
    type: l.type,
    createdAt: l.createdAt,
    updatedAt: l.createdAt,
    gitCredentialId: '',
    sourceless: true,
  }
  switch (l.type) {
    case 'github':
      return { ...common, repo: name, repoId: repoNumber(l), org: owner }
    case 'gitlab':
      return {
        ...common,
        projectId: String(repoNumber(l)),
        projectName: name,
        projectNamespace: owner,
        projectUrl: `https://gitlab.com/${l.repo}`,
      }
    case 'bitbucket':
      return {
        ...common,
        name,
        slug: name,
        owner,
        uuid: String(repoNumber(l)),
        workspaceUuid: owner,
      }
  }
}
