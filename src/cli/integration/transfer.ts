import { transferConfiguration } from '#contract/api/installation.ts'
import { actingTeam } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { findMember } from '../team/members/find-member.ts'
import { SEE, showInstallation } from './show-installation.ts'

export const command = defineCommand({
  doing: 'transfer the integration',
  about:
    'An installed application belongs to the person who installed it and is disabled when they leave. This transfers it to an OWNER of the team and re-enables it.',
  arguments: {
    id: required('id of the installation'),
    user: required('email address, username or id of an OWNER'),
  },
  examples: [
    ['integrations transfer icfg_3f9a1c0b7d2e jo@example.com --team acme', 'transfer it to another owner'],
  ],
  hints: SEE,
  async run(cli, { id, user }) {
    const team = await actingTeam(cli)
    const { uid } = await findMember(cli.api(), team, user)
    const api = cli.api(team.id)
    showInstallation(cli, await api.call(transferConfiguration, { params: { id }, body: { userId: uid } }))
  },
})
