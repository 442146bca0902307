import { updateTeam } from '#contract/api/team.ts'
import { actingTeam } from '../account.ts'
import { given as changes, defineCommand, readSwitch, value } from '../command.ts'
import { usageError } from '../exit.ts'

export const command = defineCommand({
  doing: 'change the team',
  about: 'Only an OWNER can do this.',
  options: {
    slug: value('slug', 'new slug for URLs'),
    name: value('name', 'new display name'),
    membersMayEditProduction: value(
      'on or off',
      'whether a MEMBER can change production variables',
      readSwitch,
    ),
  },
  examples: [
    ['teams set --team acme --name "Acme Ltd."', 'change the display name'],
    [
      'teams set --team acme --members-may-edit-production off',
      'only an OWNER can change production variables',
    ],
  ],
  hints: { slug_taken: 'Choose another slug.' },
  async run(cli, { slug, name, membersMayEditProduction }) {
    const body = changes({ slug, name, membersMayEditProduction })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change: pass at least one option.')
    const team = await actingTeam(cli)
    const changed = await cli.api().call(updateTeam, { params: { id: team.id }, body })
    const login = cli.auth.find(cli.baseUrl)
    if (login?.team?.id === team.id && login.team.slug !== changed.slug)
      cli.auth.switchTeam(cli.baseUrl, login.token, { id: team.id, slug: changed.slug })
    cli.out.show({ id: team.id, slug: changed.slug, name: changed.name }, () => `Changed ${changed.slug}.`)
  },
})
