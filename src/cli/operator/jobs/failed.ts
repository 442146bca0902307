import { listFailedJobs } from '#contract/api/operator.ts'
import { defineCommand } from '../../command.ts'
import { pageOptions, pageQuery } from '../../output/paging.ts'
import { relativeTime } from '../../output/relative-time.ts'
import { showList } from '../../output/show-list.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'list the dead jobs',
  teamless: true,
  about: 'Lists jobs that failed every attempt. They are kept for 30 days.',
  options: pageOptions,
  examples: [['operator jobs failed', 'latest first, with the error']],
  hints: operatorHints,
  async run(cli, page) {
    const answer = await cli.api().call(listFailedJobs, { query: pageQuery(page) })
    showList(cli, answer, {
      items: answer.jobs,
      head: ['ID', 'NAME', 'FAILED', 'ATTEMPTS', 'ERROR'],
      row: ({ id, name, failedAt, attempts, error }) => [
        id,
        name,
        relativeTime(failedAt, cli.now()),
        String(attempts),
        error.split('\n')[0]?.slice(0, 200) ?? '',
      ],
      empty: 'No dead jobs.',
      more: ['operator jobs failed', answer.pagination.next],
    })
  },
})
