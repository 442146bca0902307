import { updateAccount } from '#contract/api/operator.ts'
import { PLANS } from '#contract/limit/limits.ts'
import { defineCommand, flag, oneOf, required, value } from '../../command.ts'
import { usageError } from '../../exit.ts'
import { showAccount } from '../account.ts'
import { accountHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'change the account',
  teamless: true,
  arguments: { account: required('id, email address, username or team slug') },
  options: {
    plan: value('plan', PLANS.join(', '), oneOf(PLANS)),
    block: flag('take the sites of the account offline, and refuse changes and deployments'),
    unblock: flag('serve its sites and allow changes again'),
  },
  examples: [
    ['operator accounts set acme --plan pro', 'change the plan'],
    ['operator accounts set jo@example.com --block', 'take its sites offline and refuse changes'],
    ['operator accounts set jo@example.com --unblock', 'serve them and allow changes again'],
  ],
  hints: accountHints,
  async run(cli, { account, plan, block, unblock }) {
    if (block && unblock)
      throw usageError('--block and --unblock cannot be used together.', 'Use only one of them.')
    if (plan === undefined && !block && !unblock)
      throw usageError(
        'Nothing to change: pass at least one option.',
        'Add --plan <plan>, --block or --unblock.',
      )
    const changed = await cli.api().call(updateAccount, {
      params: { idOrEmailOrSlug: account },
      body: {
        ...(plan === undefined ? {} : { plan }),
        ...(block || unblock ? { softBlocked: block } : {}),
      },
    })
    showAccount(cli.out, changed)
  },
})
