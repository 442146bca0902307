import { deleteDrain, getDrain } from '#contract/api/drain.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'remove the log drain',
  about: 'Entries not sent yet are discarded.',
  arguments: { id: required('id of the log drain') },
  examples: [
    ['drains rm ld_4kTbb1xPBoTqRCUtqdXUkFvG', 'ask for confirmation, then remove'],
    ['drains rm ld_4kTbb1xPBoTqRCUtqdXUkFvG --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your log drains with `aloft drains ls`.' },
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const found = await api.call(getDrain, { params: { id } })
    const name = plainText(found.name)
    await cli.prompt.confirm(`Remove the log drain ${name}?`)
    await api.call(deleteDrain, { params: { id: found.id } })
    cli.out.show(found, () => `Removed the log drain ${name}.`)
  },
})
