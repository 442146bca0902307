import { deleteFailedJob } from '#contract/api/operator.ts'
import { defineCommand, oneOrMore } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { operatorHints } from '../hints.ts'

export const command = defineCommand({
  doing: 'delete the job',
  teamless: true,
  arguments: { id: oneOrMore('ids of dead jobs, as `aloft operator jobs failed` shows them') },
  examples: [['operator jobs rm job_4cZ1', 'discard a job that should not run']],
  hints: { ...operatorHints, not_found: 'See the ids with `aloft operator jobs failed`.' },
  async run(cli, { id: ids }) {
    await cli.prompt.confirm(`Delete ${ids.length === 1 ? 'the dead job' : `${ids.length} dead jobs`}?`)
    const api = cli.api()
    for (const id of ids) {
      await api.call(deleteFailedJob, { params: { id } })
      cli.out.line({ id, removed: true }, () => `Deleted ${plainText(id)}.`)
    }
  },
})
