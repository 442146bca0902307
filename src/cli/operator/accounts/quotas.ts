import { changeAccountQuotas, readAccountUsage } from '#contract/api/usage.ts'
import { defineCommand, required, zeroOrMore } from '../../command.ts'
import { renderUsage } from '../../usage/show-usage.ts'
import { accountHints } from '../hints.ts'
import { QUOTA_ARGUMENT, readQuotas } from '../quotas/read-quotas.ts'

export const command = defineCommand({
  doing: 'read or change the quotas of the account',
  teamless: true,
  about: 'Shows the usage of an account. Pass quotas to override those of its plan.',
  arguments: {
    account: required('id, email address, username or team slug'),
    quotas: zeroOrMore(QUOTA_ARGUMENT),
  },
  examples: [
    ['operator accounts quotas acme', 'show its usage'],
    ['operator accounts quotas acme contentBytes=500GB', 'raise a quota'],
    ['operator accounts quotas acme contentBytes=default', 'restore the quota of its plan'],
  ],
  hints: accountHints,
  async run(cli, { account, quotas }) {
    const { out } = cli
    const params = { idOrEmailOrSlug: account }
    const usage =
      quotas.length === 0
        ? await cli.api().call(readAccountUsage, { params })
        : await cli.api().call(changeAccountQuotas, { params, body: readQuotas(quotas) })
    if (!out.json && usage.changed.length > 0)
      out.say(`Overridden for this account: ${usage.changed.join(', ')}.`)
    out.show(usage, () => renderUsage(usage, out.colors))
  },
})
