import { listAliases, listDeploymentAliases } from '#contract/api/alias.ts'
import { getProject } from '#contract/api/project.ts'
import { accountApi } from '../account.ts'
import { defineCommand, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { hostOf } from '../host-of.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'

export const command = defineCommand({
  doing: 'list the aliases',
  options: {
    ...pageOptions,
    domain: value('domain', 'only aliases of this domain'),
    project: value('id or name', 'only aliases of this project'),
    deployment: value('id or URL', 'only aliases of this deployment'),
  },
  examples: [
    ['alias ls', 'all aliases of the account, newest first'],
    ['alias ls --project shop --domain example.com', 'filter the list'],
    ['alias ls --deployment shop-a1b2c3d4e.localhost', 'the aliases of one deployment'],
  ],
  async run(cli, given) {
    const { domain, project } = given
    const now = cli.now()
    const api = await accountApi(cli)
    if (given.deployment !== undefined) {
      if (domain !== undefined || project !== undefined)
        throw usageError('--deployment cannot be used with --domain or --project.')
      const id = hostOf(given.deployment)
      const answer = await api.call(listDeploymentAliases, { params: { id } })
      return showList(cli, answer, {
        items: answer.aliases,
        head: ['ALIAS', 'CREATED', 'ID'],
        row: ({ alias, created, uid }) => [alias, relativeTime(Date.parse(created), now), uid],
        empty: `No aliases point at this deployment. Add one: aloft alias set ${plainText(id)} <alias>`,
      })
    }
    const filter = {
      ...(domain === undefined ? {} : { domain }),
      ...(project === undefined
        ? {}
        : { projectId: (await api.call(getProject, { params: { idOrName: project } })).id }),
    }
    const page = await api.call(listAliases, { query: { ...pageQuery(given), ...filter } })
    const again = ['alias ls', project && `--project ${project}`, domain && `--domain ${domain}`]
    showList(cli, page, {
      items: page.aliases,
      head: ['ALIAS', 'DEPLOYMENT', 'CREATED', 'ID'],
      row: ({ alias, deployment, created, uid }) => [
        alias,
        deployment.url ?? deployment.id,
        relativeTime(Date.parse(created), now),
        uid,
      ],
      empty: 'No aliases found. Add one: aloft alias set <deployment> <alias>',
      more: [again.filter(Boolean).join(' '), page.pagination.next],
    })
  },
})
