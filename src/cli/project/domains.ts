import { listProjectDomains } from '#contract/api/project-domain.ts'
import { defineCommand, optional } from '../command.ts'
import { environmentNames } from '../env/places.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject } from './choose-project.ts'

export const command = defineCommand({
  doing: 'list the domains of the project',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  options: pageOptions,
  examples: [
    ['projects domains', 'of the linked project'],
    ['projects domains shop --json', 'as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, given.project)
    const page = await api.call(listProjectDomains, { params: { idOrName }, query: pageQuery(given) })
    const names = await environmentNames(
      api,
      idOrName,
      page.domains.map(({ customEnvironmentId }) => ({
        target: [],
        ...(customEnvironmentId === null ? {} : { customEnvironmentIds: [customEnvironmentId] }),
      })),
    )
    showList(cli, page, {
      items: page.domains,
      head: ['DOMAIN', 'VERIFIED', 'TARGET', 'CREATED'],
      row: ({ name, verified, redirect, gitBranch, customEnvironmentId, createdAt }) => [
        name,
        verified ? 'yes' : 'no',
        redirect !== null
          ? `redirect to ${redirect}`
          : gitBranch !== null
            ? `branch ${gitBranch}`
            : customEnvironmentId !== null
              ? `environment ${names.get(customEnvironmentId) ?? customEnvironmentId}`
              : 'production',
        relativeTime(createdAt, now),
      ],
      empty: 'No domains yet. Attach one: aloft domains attach <domain>',
      more: [['projects domains', given.project].filter(Boolean).join(' '), page.pagination.next],
    })
  },
})
