import { listDeployHooks } from '#contract/api/git.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'list the deploy hooks',
  about: 'Keep the URLs secret: anyone who has one can deploy the branch.',
  options: projectOption,
  examples: [['hooks ls', 'deploy hooks and their URLs']],
  async run(cli, { project }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const answer = await api.call(listDeployHooks, { params: { idOrName } })
    showList(cli, answer, {
      items: answer.deployHooks,
      head: ['ID', 'NAME', 'BRANCH', 'URL', 'CREATED'],
      row: ({ id, name, ref, url, createdAt }) => [
        id,
        plainText(name),
        plainText(ref),
        url,
        relativeTime(createdAt, now),
      ],
      empty: 'No deploy hooks yet. Create one: aloft hooks add <name> <branch>',
    })
  },
})
