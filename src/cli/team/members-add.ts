import { inviteMember, ROLES } from '#contract/api/team.ts'
import { actingTeam } from '../account.ts'
import { defineCommand, oneOf, required, value } from '../command.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'add the member',
  about: 'They belong to the team at once and are told by mail. Only an OWNER may do this.',
  team: true,
  arguments: { email: required('e-mail address of their account') },
  options: { role: value('role', `${ROLES.join(' or ')}; MEMBER when left out`, oneOf(ROLES)) },
  examples: [
    ['teams members add jo@example.com --team acme', 'as a MEMBER'],
    ['teams members add jo@example.com --role owner --team acme', 'as an OWNER'],
  ],
  hints: { user_not_found: 'They need an account first: `aloft login` with that address makes one.' },
  async run(cli, { email, role }) {
    const { out } = cli
    const api = cli.api()
    const team = await actingTeam(cli)
    const added = await api.call(inviteMember, {
      params: { id: team.id },
      body: { email, ...(role === undefined ? {} : { role }) },
    })
    out.show(added, () => `${plainText(added.username)} belongs to ${team.slug}.`)
  },
})
