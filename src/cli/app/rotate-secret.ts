import { rotateSecret } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'

export const command = defineCommand({
  doing: 'replace the secret',
  about: 'The old secret stops working immediately; tokens stay valid.',
  arguments: { id: required('id of the application') },
  examples: [['apps rotate-secret oac_3f9a1c0b7d2e', 'print the new secret once']],
  hints: { not_found: 'List your applications with `aloft apps ls`.' },
  async run(cli, { id }) {
    const { out } = cli
    await cli.prompt.confirm('Replace the secret? Update everything that uses the old one.')
    const made = await (await accountApi(cli)).call(rotateSecret, { params: { id } })
    if (!out.json) out.say('New secret, shown only once:')
    out.show(made, () => made.clientSecret)
  },
})
