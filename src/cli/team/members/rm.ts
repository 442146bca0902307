import { removeMember } from '#contract/api/team.ts'
import { actingTeam } from '../../account.ts'
import { defineCommand, required } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { findMember } from './find-member.ts'

export const command = defineCommand({
  doing: 'remove the member',
  about: 'Only an OWNER can do this. An OWNER cannot be removed.',
  arguments: { user: required('email address, username or id of the member') },
  examples: [
    ['teams members rm jo@example.com --team acme', 'ask for confirmation, then remove'],
    ['teams members rm jo --team acme --yes', 'without confirmation'],
  ],
  async run(cli, { user }) {
    const api = cli.api()
    const team = await actingTeam(cli)
    const { uid, username } = await findMember(api, team, user)
    await cli.prompt.confirm(`Remove ${plainText(username)} from ${team.slug}?`)
    await api.call(removeMember, { params: { id: team.id, userId: uid } })
    cli.out.show({ uid, username, teamId: team.id }, () => `${plainText(username)} left ${team.slug}.`)
  },
})
