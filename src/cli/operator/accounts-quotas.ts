import { changeAccountQuotas, readAccountUsage } from '#contract/api/usage.ts'
import { defineCommand, required, zeroOrMore } from '../command.ts'
import { renderUsage } from '../usage/show-usage.ts'
import { accountHints } from './hints.ts'
import { QUOTA_ARGUMENT, readQuotas } from './read-quotas.ts'

export const command = defineCommand({
  doing: 'read or change the quotas of the account',
  about: 'What an account uses; with quotas to set, what it alone may use instead of what its plan allows.',
  arguments: {
    account: required('id, e-mail address, username or team slug'),
    quotas: zeroOrMore(QUOTA_ARGUMENT),
  },
  examples: [
    ['operator accounts quotas acme', 'what it uses'],
    ['operator accounts quotas acme contentBytes=500GB', 'more than its plan allows'],
    ['operator accounts quotas acme contentBytes=default', 'what its plan allows again'],
  ],
  hints: accountHints,
  async run(cli, { account, quotas }) {
    const { out } = cli
    const params = { idOrEmailOrSlug: account }
    const usage =
      quotas.length === 0
        ? await cli.api().call(readAccountUsage, { params })
        : await cli.api().call(changeAccountQuotas, { params, body: readQuotas(quotas) })
    if (!out.json && usage.changed.length > 0) out.say(`Its own: ${usage.changed.join(', ')}.`)
    out.show(usage, () => renderUsage(usage, out.colors))
  },
})
