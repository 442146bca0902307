import { updateTeam } from '#contract/api/team.ts'
import { actingTeam } from '../account.ts'
import { given as changes, defineCommand, readSwitch, value } from '../command.ts'
import { usageError } from '../exit.ts'

export const command = defineCommand({
  doing: 'change the team',
  about: 'Only an OWNER may do this.',
  team: true,
  options: {
    slug: value('slug', 'another short name for addresses'),
    name: value('name', 'another name for people'),
    membersMayEditProduction: value(
      'on or off',
      'whether a MEMBER may change production variables',
      readSwitch,
    ),
  },
  examples: [
    ['teams set --team acme --name "Acme Ltd."', 'another name'],
    ['teams set --team acme --members-may-edit-production off', 'production variables are for OWNERs'],
  ],
  hints: { slug_taken: 'Choose another slug.' },
  async run(cli, { slug, name, membersMayEditProduction }) {
    const { out } = cli
    const body = changes({ slug, name, membersMayEditProduction })
    if (Object.keys(body).length === 0) throw usageError('Nothing to change: pass at least one option.')
    const team = await actingTeam(cli)
    const changed = await cli.api().call(updateTeam, { params: { id: team.id }, body })
    const login = cli.auth.find(cli.baseUrl)
    if (login?.team?.id === team.id && login.team.slug !== changed.slug)
      cli.auth.switchTeam(cli.baseUrl, login.token, { id: team.id, slug: changed.slug })
    out.show({ id: team.id, slug: changed.slug, name: changed.name }, () => `Changed ${changed.slug}.`)
  },
})
