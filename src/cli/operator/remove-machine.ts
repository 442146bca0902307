import { removeMachine } from '#contract/api/machine.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'remove the machine',
  teamless: true,
  about:
    'The other machines refuse its certificate and close its connections within about a second, other machines take over its jobs, and it stops if it is still running. It cannot come back; to use it again, join it with an empty data folder. If someone else may have its files, also change the password of the database, the keys of the object store and the master key.',
  arguments: { name: required('name of the machine, as `aloft operator machines` shows it') },
  examples: [['operator remove-machine 5e0c…', 'after it was lost or stolen']],
  hints: { ...operatorHints, not_found: 'See the names with `aloft operator machines`.' },
  async run(cli, { name }) {
    await cli.prompt.confirm(`Remove the machine ${plainText(name)}? It cannot come back.`)
    const answer = await cli.api().call(removeMachine, { params: { name } })
    cli.out.show(answer, () => `${plainText(name)} is no longer part of the installation.`)
  },
})
