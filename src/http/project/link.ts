import { type GitLink, PRODUCTION_BRANCH, repoNumber } from '#core/project/git-link.ts'

/** A link in the words of the host it leads to. */
export function link(l: GitLink) {
  const parts = l.repo.split('/')
  const name = parts.at(-1) ?? ''
  const owner = parts.slice(0, -1).join('/')
  const common = {
    type: l.type,
    createdAt: l.createdAt,
    updatedAt: l.createdAt,
    deployHooks: [],
    gitCredentialId: '',
    productionBranch: PRODUCTION_BRANCH,
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
