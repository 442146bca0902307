import { assignAlias } from '#contract/api/alias.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { hostOf } from '../host-of.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'set the alias',
  about: 'An alias that leads to another deployment of yours is moved, without an interruption.',
  team: true,
  arguments: {
    deployment: required('id or address of the deployment'),
    alias: required('host that should show it; a word alone is below the platform’s domain'),
  },
  examples: [
    ['alias set shop-a1b2c3 shop.example.com', 'by host'],
    ['alias set dpl_4kTbb1xPBoTqRCUtqdXUkFvG beta', 'by id, below the domain of this installation'],
  ],
  hints: {
    deployment_not_found: 'See your deployments with `aloft ls`.',
    deployment_not_ready: 'Wait until it is ready, then try again.',
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` says how.',
    alias_in_use: 'Choose another one.',
  },
  async run(cli, given) {
    const { out } = cli
    const alias = hostOf(given.alias)
    const api = await accountApi(cli)
    const deployment = hostOf(given.deployment)
    const set = await api.call(assignAlias, { params: { id: deployment }, body: { alias } })
    out.show({ ...set, alias, deployment }, () =>
      set.oldId === undefined
        ? `${plainText(alias)} shows ${plainText(deployment)}.`
        : `${plainText(alias)} shows ${plainText(deployment)}, and no longer ${plainText(set.oldId)}.`,
    )
  },
})
