import { deleteSecret } from '#contract/api/secret.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'delete the secret',
  about: 'Existing deployments keep its value; new deployments that reference it fail.',
  arguments: { name: required('name or id of the secret') },
  examples: [
    ['secrets rm db-password', 'ask for confirmation, then delete'],
    ['secrets rm db-password --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your secrets with `aloft secrets ls`.' },
  async run(cli, { name }) {
    const api = await accountApi(cli)
    await cli.prompt.confirm(`Delete the secret ${plainText(name)}? Its value cannot be recovered.`)
    const deleted = await api.call(deleteSecret, { params: { name } })
    cli.out.show(deleted, () => `Deleted the secret ${plainText(deleted.name)}.`)
  },
})
