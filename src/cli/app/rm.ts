import { deleteApplication, getApplication } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'remove the application',
  about: 'It is also removed wherever it is installed. This cannot be undone.',
  team: true,
  arguments: { id: required('id of the application') },
  examples: [
    ['apps rm oac_3f9a1c0b7d2e', 'ask, then remove it'],
    ['apps rm oac_3f9a1c0b7d2e --yes', 'without asking'],
  ],
  hints: { not_found: 'See your applications with `aloft apps ls`.' },
  async run(cli, { id }) {
    const { out } = cli
    const api = await accountApi(cli)
    const { name } = await api.call(getApplication, { params: { id } })
    await cli.prompt.confirm(`Remove the application "${plainText(name)}" from every account that has it?`)
    await api.call(deleteApplication, { params: { id } })
    out.show({ id }, () => `Removed the application "${plainText(name)}".`)
  },
})
