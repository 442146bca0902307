import { restart } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'restart the server',
  about:
    'Starts new processes, of the version that is installed now, on the machine that answers. They listen on the same ports before the old ones let go of them: no connection is refused, and requests under way are finished. If a new process cannot start, nothing changes.',
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
