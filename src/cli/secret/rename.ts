import { renameSecret } from '#contract/api/secret.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'rename the secret',
  about: 'Variables that reference it keep working.',
  team: true,
  arguments: { name: required('name or id of the secret'), newName: required('its new name') },
  examples: [['secrets rename db-password db-password-2', 'another name for the same value']],
  hints: {
    secret_already_exists: 'Choose another name.',
    not_found: 'See your secrets with `aloft secrets ls`.',
  },
  async run(cli, { name, newName }) {
    const { out } = cli
    const api = await accountApi(cli)
    const renamed = await api.call(renameSecret, { params: { name }, body: { name: newName } })
    out.show(renamed, () => `The secret ${plainText(renamed.oldName)} is called ${plainText(renamed.name)}.`)
  },
})
