import { restart } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'restart the server',
  teamless: true,
  about:
    'Replaces the processes on the machine that answers with new ones of the installed version. The new processes listen on the same ports before the old ones stop, so no connection is refused, and requests in progress are completed. If a new process cannot start, the old ones keep running.',
  examples: [['operator restart', 'after an upgrade']],
  hints: {
    ...operatorHints,
    conflict: 'Fix the problem, or stop the server and start it again. The server log has the details.',
  },
  async run(cli) {
    const { out } = cli
    out.status('Starting new processes…')
    const answer = await cli.api().call(restart)
    out.show(answer, () => 'Restarted. The old processes finish requests in progress.')
  },
})
