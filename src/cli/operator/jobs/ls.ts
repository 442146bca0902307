import { listJobs } from '#contract/api/operator.ts'
import { defineCommand } from '../../command.ts'
import { renderTable } from '../../output/table.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'list the jobs',
  teamless: true,
  examples: [['operator jobs ls', 'recurring jobs, and how many jobs are queued']],
  hints: operatorHints,
  async run(cli) {
    const { out } = cli
    const answer = await cli.api().call(listJobs)
    const { jobs, queue } = answer
    if (jobs.length === 0 && !out.json) out.say('This installation has no recurring jobs.')
    out.show(answer, () =>
      [
        ...(jobs.length === 0
          ? []
          : [
              renderTable(
                ['NAME', 'DOES'],
                jobs.map(({ name, summary }) => [name, summary]),
                out.colors,
              ),
              '',
            ]),
        `queue: ${queue.queued} waiting, ${queue.running} running, ${queue.failed} failed`,
      ].join('\n'),
    )
  },
})
