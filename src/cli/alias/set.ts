import { assignAlias } from '#contract/api/alias.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { hostOf } from '../host-of.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'set the alias',
  about: 'An alias that points at another of your deployments is moved without downtime.',
  arguments: {
    deployment: required('id or URL of the deployment'),
    alias: required('domain to serve it from; a single word becomes a subdomain of the platform'),
  },
  examples: [
    ['alias set shop-a1b2c3d4e.localhost shop.example.com', 'with a custom domain'],
    ['alias set dpl_4kTbb1xPBoTqRCUtqdXUkFvG beta', 'by deployment id, on a subdomain of this installation'],
  ],
  hints: {
    deployment_not_found: 'See your deployments with `aloft ls`.',
    deployment_not_ready: 'Wait until it is ready, then try again.',
    domain_not_verified: 'Verify the domain first: `aloft domains inspect <domain>` explains how.',
    alias_in_use: 'Choose another one.',
  },
  async run(cli, given) {
    const alias = hostOf(given.alias)
    const api = await accountApi(cli)
    const deployment = hostOf(given.deployment)
    const set = await api.call(assignAlias, { params: { id: deployment }, body: { alias } })
    cli.out.show({ ...set, alias, deployment }, () =>
      set.oldId === undefined
        ? `${plainText(alias)} points at ${plainText(deployment)}.`
        : `${plainText(alias)} now points at ${plainText(deployment)} instead of ${plainText(set.oldId)}.`,
    )
  },
})
