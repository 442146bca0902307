import { getConfiguration } from '#contract/api/installation.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { SEE, showInstallation } from './show-installation.ts'

export const command = defineCommand({
  doing: 'inspect the integration',
  arguments: { id: required('id of the installation') },
  examples: [['integrations inspect icfg_3f9a1c0b7d2e', 'its granted and requested permissions']],
  hints: SEE,
  async run(cli, { id }) {
    showInstallation(cli, await (await accountApi(cli)).call(getConfiguration, { params: { id } }))
  },
})
