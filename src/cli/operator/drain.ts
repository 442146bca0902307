import { updateMachine } from '#contract/api/machine.ts'
import { defineCommand, flag, required } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'drain the machine',
  about:
    'It takes no new jobs, and other machines send no more requests to its functions; what it has begun it ends. Its own visitors are answered by the functions of others while there are any. Then stop it, or upgrade it and add it again with --off.',
  arguments: { name: required('name of the machine, as `aloft operator machines` shows it') },
  options: { off: flag('let it take part again') },
  examples: [
    ['operator drain 5e0c…', 'before it is stopped'],
    ['operator drain 5e0c… --off', 'let it take part again'],
  ],
  hints: { ...operatorHints, not_found: 'See the names with `aloft operator machines`.' },
  async run(cli, { name, off }) {
    const answer = await cli.api().call(updateMachine, { params: { name }, body: { draining: !off } })
    cli.out.show(answer, () =>
      off ? `${plainText(name)} takes part again.` : `${plainText(name)} is given nothing new.`,
    )
  },
})
