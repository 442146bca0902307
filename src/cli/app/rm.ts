import { deleteApplication, getApplication } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'delete the application',
  about: 'Also removes it from every account that installed it. This cannot be undone.',
  arguments: { id: required('id of the application') },
  examples: [
    ['apps rm oac_3f9a1c0b7d2e', 'ask for confirmation, then delete it'],
    ['apps rm oac_3f9a1c0b7d2e --yes', 'without confirmation'],
  ],
  hints: { not_found: 'List your applications with `aloft apps ls`.' },
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const { name } = await api.call(getApplication, { params: { id } })
    await cli.prompt.confirm(
      `Delete the application "${plainText(name)}" and remove it from every account that installed it?`,
    )
    await api.call(deleteApplication, { params: { id } })
    cli.out.show({ id }, () => `Deleted the application "${plainText(name)}".`)
  },
})
