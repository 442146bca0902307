import { runJob } from '#contract/api/operator.ts'
import { defineCommand, required } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'run the job',
  teamless: true,
  about: 'Queues the job and returns. A job that is already queued is not added again.',
  arguments: { name: required('name of the job, as `aloft operator jobs ls` shows it') },
  examples: [['operator jobs run logins.clean-up', 'run it now instead of on schedule']],
  hints: { ...operatorHints, not_found: 'See the names with `aloft operator jobs ls`.' },
  async run(cli, { name }) {
    const job = await cli.api().call(runJob, { params: { name } })
    cli.out.show(job, () => `${plainText(job.name)} is ${plainText(job.state)} as ${plainText(job.jobId)}.`)
  },
})
