import { listAccounts } from '#contract/api/operator.ts'
import { defineCommand, value } from '../../command.ts'
import { pageOptions, pageQuery } from '../../output/paging.ts'
import { relativeTime } from '../../output/relative-time.ts'
import { showList } from '../../output/show-list.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'list the accounts',
  teamless: true,
  options: {
    search: value('text', 'only accounts whose username, slug or email address contains this'),
    ...pageOptions,
  },
  examples: [
    ['operator accounts ls', 'newest first'],
    ['operator accounts ls --search acme', 'search by name'],
  ],
  hints: operatorHints,
  async run(cli, { search, ...page }) {
    const query = { ...pageQuery(page), ...(search === undefined ? {} : { search }) }
    const answer = await cli.api().call(listAccounts, { query })
    showList(cli, answer, {
      items: answer.accounts,
      head: ['ACCOUNT', 'KIND', 'PLAN', 'STATUS', 'PROJECTS', 'DEPLOYMENTS', 'CREATED', 'EMAIL', 'ID'],
      row: (account) => [
        account.slug,
        account.operator ? 'operator' : account.kind,
        account.plan,
        account.softBlocked ? 'blocked' : 'active',
        String(account.projects),
        String(account.deployments),
        relativeTime(account.createdAt, cli.now()),
        account.email ?? '',
        account.id,
      ],
      empty: search === undefined ? 'There are no accounts yet.' : 'No matching accounts.',
      more: [
        `operator accounts ls${search === undefined ? '' : ` --search ${JSON.stringify(search)}`}`,
        answer.pagination.next,
      ],
    })
  },
})
