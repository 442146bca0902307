import { deleteAlias } from '#contract/api/alias.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { hostOf } from '../host-of.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'remove the alias',
  arguments: { alias: required('alias or its id') },
  examples: [
    ['alias rm shop.example.com', 'ask for confirmation, then remove'],
    ['alias rm shop.example.com --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See your aliases with `aloft alias ls`.' },
  async run(cli, given) {
    const alias = hostOf(given.alias)
    const api = await accountApi(cli)
    await cli.prompt.confirm(`Remove the alias ${plainText(alias)}? It stops serving immediately.`)
    const removed = await api.call(deleteAlias, { params: { id: alias } })
    cli.out.show({ ...removed, alias }, () => `Removed the alias ${plainText(alias)}.`)
  },
})
