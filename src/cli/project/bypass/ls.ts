import { getProject } from '#contract/api/project.ts'
import { defineCommand, flag, optional } from '../../command.ts'
import { relativeTime } from '../../output/relative-time.ts'
import { showList } from '../../output/show-list.ts'
import { chooseProject } from '../choose-project.ts'
import { beginningOf } from './secret.ts'

export const command = defineCommand({
  doing: 'list the secrets',
  about: 'Shows the beginning of each, which is enough for `aloft projects bypass rm`.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  options: { reveal: flag('show the full secrets') },
  examples: [
    ['projects bypass ls shop', 'list the secrets'],
    ['projects bypass ls shop --reveal --json', 'in full, as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project, reveal }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const { protectionBypass = {} } = await api.call(getProject, { params: { idOrName } })
    const secrets = Object.entries(protectionBypass).map(([secret, about]) => ({
      secret: reveal ? secret : beginningOf(secret),
      ...about,
    }))
    showList(
      cli,
      { secrets },
      {
        items: secrets,
        head: ['SECRET', 'MADE BY', 'CREATED'],
        row: ({ secret, createdBy, createdAt }) => [
          reveal ? secret : `${secret}…`,
          createdBy,
          relativeTime(createdAt, now),
        ],
        empty: 'No secrets yet. Create one: aloft projects bypass add',
      },
    )
  },
})
