import { retryFailedJob } from '#contract/api/operator.ts'
import { defineCommand, oneOrMore } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'retry the job',
  teamless: true,
  arguments: { id: oneOrMore('ids of dead jobs, as `aloft operator jobs failed` shows them') },
  examples: [['operator jobs retry job_4cZ1', 'after fixing the cause']],
  hints: { ...operatorHints, not_found: 'See the ids with `aloft operator jobs failed`.' },
  async run(cli, { id: ids }) {
    const api = cli.api()
    for (const id of ids) {
      const job = await api.call(retryFailedJob, { params: { id } })
      cli.out.line(job, () => `${plainText(job.name)} is ${plainText(job.state)} as ${plainText(job.id)}.`)
    }
  },
})
