import { rotateSecret } from '#contract/api/application.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'

export const command = defineCommand({
  doing: 'make a new secret',
  about: 'The secret before is worth nothing from then on; tokens go on working.',
  team: true,
  arguments: { id: required('id of the application') },
  examples: [['apps rotate-secret oac_3f9a1c0b7d2e', 'print the new secret, this once']],
  hints: { not_found: 'See your applications with `aloft apps ls`.' },
  async run(cli, { id }) {
    const { out } = cli
    await cli.prompt.confirm('Make a new secret? Whatever uses the one before has to be given the new one.')
    const made = await (await accountApi(cli)).call(rotateSecret, { params: { id } })
    if (!out.json) out.say('This is its new secret, shown this once:')
    out.show(made, () => made.clientSecret)
  },
})
