import { createSecret } from '#contract/api/secret.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'create the secret',
  about: 'The value is read from stdin or a hidden prompt. It cannot be read again.',
  arguments: { name: required('letters, digits, _, - and .; unique in the account') },
  examples: [
    ['secrets add db-password', 'prompt for the value'],
    ['secrets add db-password --team acme < password.txt', 'from a file, for a team'],
  ],
  hints: { secret_already_exists: 'Choose another name, or remove it first with `aloft secrets rm`.' },
  async run(cli, { name }) {
    const { out } = cli
    const api = await accountApi(cli)
    const value = await cli.prompt.secret(`Value of ${plainText(name)}:`, `aloft secrets add ${name} < file`)
    const { uid, created } = await api.call(createSecret, { body: { name, value } })
    if (!out.json) out.say(`Created the secret. Use it: aloft env add <name> --secret ${plainText(name)}`)
    out.show({ uid, name, created }, () => uid)
  },
})
