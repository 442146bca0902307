import { inviteMachine } from '#contract/api/machine.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'invite a machine',
  teamless: true,
  about:
    'Prints the command to run on another machine, in the folder where Aloft will run. The invitation is valid for one machine and 15 minutes. It gives access to everything the installation shares: the addresses of its stores and its master key.',
  examples: [['operator join', 'print the command for one more machine']],
  hints: operatorHints,
  async run(cli) {
    const invitation = await cli.api().call(inviteMachine, {})
    cli.out.say(
      `Run this on one machine. The invitation expires ${relativeTime(invitation.expiresAt, cli.now())}.`,
    )
    const line = `aloft join ${cli.baseUrl} ${invitation.token}`
    cli.out.show({ ...invitation, line }, () => line)
  },
})
