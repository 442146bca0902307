import { disconnectSource, getSource } from '#contract/api/git.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'disconnect the repository',
  about: 'Existing deployments are not affected.',
  options: projectOption,
  examples: [['git disconnect --project shop', 'ask for confirmation, then disconnect']],
  hints: { not_found: 'The project is not connected to a repository.' },
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const source = await api.call(getSource, { params: { idOrName } })
    const url = plainText(source.url ?? 'the repository')
    await cli.prompt.confirm(`Stop deploying from ${url}?`)
    await api.call(disconnectSource, { params: { idOrName } })
    cli.out.show(source, () => `Disconnected ${url}.`)
  },
})
