import { restart } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'restart the server',
  about:
    'Replaces the processes on the machine that answers with new ones of the installed version. The new processes listen on the same ports before the old ones stop, so no connection is refused, and requests in progress are completed. If a new process cannot start, the old ones keep running.',
  examples: [['operator restart', 'after an upgrade']],
  hints: {
    ...operatorHints,
    conflict: 'Correct what it names, or stop the server and start it again. Its log says more.',
  },
  async run(cli) {
    const { out } = cli
    out.status('Starting new processes beside those that run…')
    const answer = await cli.api().call(restart)
    out.show(answer, () => 'Restarted: new processes serve now. The old ones finish what they have begun.')
  },
})
