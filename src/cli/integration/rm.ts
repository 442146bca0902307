import { deleteConfiguration, getConfiguration } from '#contract/api/installation.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { SEE } from './show-installation.ts'

export const command = defineCommand({
  doing: 'remove the integration',
  about: 'Also removes its tokens, variables and log drains.',
  arguments: { id: required('id of the installation') },
  examples: [
    ['integrations rm icfg_3f9a1c0b7d2e', 'ask for confirmation, then remove'],
    ['integrations rm icfg_3f9a1c0b7d2e --yes', 'without confirmation'],
  ],
  hints: SEE,
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const { slug } = await api.call(getConfiguration, { params: { id } })
    const name = plainText(slug)
    await cli.prompt.confirm(`Remove ${name}, with its tokens, variables and log drains?`)
    await api.call(deleteConfiguration, { params: { id } })
    cli.out.show({ id, slug }, () => `Removed ${name}.`)
  },
})
