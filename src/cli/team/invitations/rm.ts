import { listInvitations, revokeInvitation } from '#contract/api/invitation.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand, required } from '../../command.ts'
import { CliError, EXIT } from '../../exit.ts'
import { plainText } from '../../output/plain-text.ts'

export const command = defineCommand({
  doing: 'withdraw the invitation',
  about: 'Its link stops working. Only an OWNER can do this.',
  arguments: { invitation: required('email address or id') },
  examples: [['teams invitations rm jo@example.com --team acme', 'withdraw it']],
  async run(cli, given) {
    const api = cli.api()
    const team = await actingTeam(cli)
    const { invitations } = await api.call(listInvitations, { params: { id: team.id } })
    const named = given.invitation.toLowerCase()
    const found = invitations.find(({ id, email }) => id === given.invitation || email === named)
    if (!found)
      throw new CliError(
        EXIT.notFound,
        `There is no invitation for ${given.invitation}.`,
        'List pending invitations with `aloft teams invitations ls`.',
      )
    const removed = await api.call(revokeInvitation, { params: { id: team.id, invitationId: found.id } })
    cli.out.show(removed, () => `Withdrew the invitation for ${plainText(found.email)}.`)
  },
})
