import { changeRole, ROLES } from '#contract/api/team.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand, oneOf, required } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { findMember } from './find-member.ts'

export const command = defineCommand({
  doing: 'change the role',
  about: 'Only an OWNER can do this.',
  arguments: {
    user: required('email address, username or id of the member'),
    role: required(ROLES.join(' or '), oneOf(ROLES)),
  },
  examples: [
    ['teams members role jo@example.com owner --team acme', 'make them an OWNER'],
    ['teams members role jo member --team acme', 'make them a MEMBER'],
  ],
  hints: { last_owner: 'Make someone else an OWNER first: aloft teams members role <user> owner' },
  async run(cli, { user, role }) {
    const api = cli.api()
    const team = await actingTeam(cli)
    const { uid, username } = await findMember(api, team, user)
    await api.call(changeRole, { params: { id: team.id, userId: uid }, body: { role } })
    cli.out.show({ uid, username, role }, () => `${plainText(username)} is now ${role} of ${team.slug}.`)
  },
})
