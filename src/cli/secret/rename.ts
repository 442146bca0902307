import { renameSecret } from '#contract/api/secret.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'rename the secret',
  about: 'Variables that reference it keep working.',
  arguments: { name: required('name or id of the secret'), newName: required('its new name') },
  examples: [['secrets rename db-password db-password-2', 'same value, new name']],
  hints: {
    secret_already_exists: 'Choose another name.',
    not_found: 'See your secrets with `aloft secrets ls`.',
  },
  async run(cli, { name, newName }) {
    const api = await accountApi(cli)
    const renamed = await api.call(renameSecret, { params: { name }, body: { name: newName } })
    cli.out.show(
      renamed,
      () => `Renamed the secret ${plainText(renamed.oldName)} to ${plainText(renamed.name)}.`,
    )
  },
})
