import { listAliases } from '#contract/api/alias.ts'
import { getProject } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, value } from '../command.ts'
import { pageOptions, pageQuery } from '../paging.ts'
import { relativeTime } from '../relative-time.ts'
import { showList } from '../show-list.ts'

export const command = defineCommand({
  doing: 'list the aliases',
  team: true,
  options: {
    ...pageOptions,
    domain: value('domain', 'only those of this domain'),
    project: value('id or name', 'only those of this project'),
  },
  examples: [
    ['alias ls', 'all of the account, newest first'],
    ['alias ls --project shop --domain example.com', 'only some'],
  ],
  async run(cli, given) {
    const { domain, project } = given
    const now = cli.now()
    const api = await accountApi(cli)
    const filter = {
      ...(domain === undefined ? {} : { domain }),
      ...(project === undefined
        ? {}
        : { projectId: (await api.call(getProject, { params: { idOrName: project } })).id }),
    }
    const page = await api.call(listAliases, { query: { ...pageQuery(given), ...filter } })
    showList(cli, page, {
      items: page.aliases,
      head: ['ALIAS', 'DEPLOYMENT', 'CREATED', 'ID'],
      row: ({ alias, deployment, created, uid }) => [
        alias,
        deployment.url ?? deployment.id,
        relativeTime(Date.parse(created), now),
        uid,
      ],
      empty: 'No aliases here. Point one to a deployment: aloft alias set <deployment> <alias>',
      more: ['alias ls', page.pagination.next],
    })
  },
})
