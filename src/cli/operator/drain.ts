import { updateMachine } from '#contract/api/machine.ts'
import { defineCommand, flag, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'drain the machine',
  teamless: true,
  about:
    'The machine takes no new jobs, and other machines stop sending requests to its functions; work in progress is finished. Requests it receives are handled by functions on other machines, if there are any. Then stop it, or upgrade it and put it back with --off.',
  arguments: { name: required('name of the machine, as `aloft operator machines` shows it') },
  options: { off: flag('put it back into service') },
  examples: [
    ['operator drain 5e0c…', 'before stopping it'],
    ['operator drain 5e0c… --off', 'put it back into service'],
  ],
  hints: { ...operatorHints, not_found: 'See the names with `aloft operator machines`.' },
  async run(cli, { name, off }) {
    const answer = await cli.api().call(updateMachine, { params: { name }, body: { draining: !off } })
    cli.out.show(answer, () =>
      off ? `${plainText(name)} is back in service.` : `${plainText(name)} gets no new work.`,
    )
  },
})
