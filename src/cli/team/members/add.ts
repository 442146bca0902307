import { ApiError } from '#client/api-error.ts'
import { createInvitation } from '#contract/api/invitation.ts'
import { loginMethods } from '#contract/api/login.ts'
import { inviteMember, ROLES } from '#contract/api/team.ts'
import { sentence } from '#contract/words/wording.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand, oneOf, required, value } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { relativeTime } from '../../output/relative-time.ts'

export const command = defineCommand({
  doing: 'add the member',
  about:
    'People with an account join the team immediately and are notified by email. Everyone else gets an invitation by email, with a link that creates the account. Only an OWNER can do this.',
  arguments: { email: required('their email address') },
  options: { role: value('role', `${ROLES.join(' or ')}; defaults to MEMBER`, oneOf(ROLES)) },
  examples: [
    ['teams members add jo@example.com --team acme', 'as a MEMBER'],
    ['teams members add jo@example.com --role owner --team acme', 'as an OWNER'],
  ],
  async run(cli, { email, role }) {
    const { out } = cli
    const api = cli.api()
    const team = await actingTeam(cli)
    const call = { params: { id: team.id }, body: { email, ...(role === undefined ? {} : { role }) } }
    try {
      const added = await api.call(inviteMember, call)
      out.show(added, () => sentence(`${plainText(added.username)} is now a member of ${team.slug}`))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'user_not_found') throw error
      const invitation = await api.call(createInvitation, call)
      const until = relativeTime(invitation.expiresAt, cli.now())
      const { mail } = await api.call(loginMethods)
      out.show({ invitation }, () =>
        mail
          ? sentence(`Invited ${plainText(invitation.email)} by email; the link expires ${until}`)
          : `Invited ${plainText(invitation.email)}. This server has no mail server set up: the link was printed in its terminal and expires ${until}.`,
      )
    }
  },
})
