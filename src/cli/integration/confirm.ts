import { confirmScopes, getConfiguration } from '#contract/api/installation.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { SEE, showInstallation } from './show-installation.ts'

export const command = defineCommand({
  doing: 'approve the requested permissions',
  about:
    'When an application requests additional permissions, each account that installed it must approve them.',
  arguments: { id: required('id of the installation') },
  examples: [
    ['integrations confirm icfg_3f9a1c0b7d2e', 'review the requested permissions, then approve'],
    ['integrations confirm icfg_3f9a1c0b7d2e --yes', 'without confirmation'],
  ],
  hints: SEE,
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const found = await api.call(getConfiguration, { params: { id } })
    const wanted = (found.scopesQueue ?? [])
      .filter(({ confirmedAt }) => confirmedAt === undefined)
      .flatMap(({ scopes }) => [...scopes.added, ...scopes.upgraded])
    if (wanted.length > 0)
      await cli.prompt.confirm(
        `Grant ${plainText(found.slug)} these additional permissions: ${plainText(wanted.join(', '))}?`,
      )
    showInstallation(cli, await api.call(confirmScopes, { params: { id } }))
  },
})
