import { getAccount } from '#contract/api/operator.ts'
import { defineCommand, required } from '../../command.ts'
import { showAccount } from '../account.ts'
import { accountHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'look up the account',
  teamless: true,
  arguments: { account: required('id, email address, username or team slug') },
  examples: [
    ['operator accounts get jo@example.com', 'a user'],
    ['operator accounts get acme --json', 'a team, as JSON'],
  ],
  hints: accountHints,
  async run(cli, { account }) {
    showAccount(cli.out, await cli.api().call(getAccount, { params: { idOrEmailOrSlug: account } }))
  },
})
