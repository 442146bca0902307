import { siteAddress } from '#client/site-address.ts'
import { listEnvironments } from '#contract/api/custom-environment.ts'
import { branchRule } from '#contract/words/branch-rule.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'list the environments',
  about: 'Lists custom environments. Every project also has production, preview and development.',
  options: projectOption,
  examples: [
    ['environments ls', 'list the environments of the linked project'],
    ['environments ls --project shop --json', 'as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const found = await api.call(listEnvironments, { params: { idOrName } })
    showList(cli, found, {
      items: found.environments,
      head: ['NAME', 'BRANCH', 'URL', 'DOMAINS', 'CREATED', 'ID'],
      row: ({ id, slug, branchMatcher, domains, currentDeploymentAliases, createdAt }) => [
        slug,
        branchMatcher ? branchRule(branchMatcher) : '-',
        addressOf(cli.baseUrl, slug, currentDeploymentAliases),
        domains.map(({ name }) => name).join(', ') || '-',
        relativeTime(createdAt, now),
        id,
      ],
      empty: 'No custom environments yet. Add one: aloft environments add staging',
    })
  },
})

/** The one that is named after it. */
const addressOf = (baseUrl: string, slug: string, aliases: readonly string[]): string => {
  const own = aliases.find((host) => host.includes(`-env-${slug}-`)) ?? aliases.at(-1)
  return own === undefined ? '-' : siteAddress(baseUrl, own)
}
