import { inviteMachine } from '#contract/api/machine.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../relative-time.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'invite a machine',
  about:
    'Prints the line to run on another machine, in the folder where Aloft is to run. It is good for one machine and for 15 minutes. With it goes everything that the installation shares: the addresses of its stores and its master key.',
  examples: [['operator join', 'the line for one more machine']],
  hints: operatorHints,
  async run(cli) {
    const invitation = await cli.api().call(inviteMachine, {})
    cli.out.say(`For one machine; the invitation ends ${relativeTime(invitation.expiresAt, cli.now())}.`)
    const line = `aloft join ${cli.baseUrl} ${invitation.token}`
    cli.out.show({ ...invitation, line }, () => line)
  },
})
