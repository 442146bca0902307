import { createTeam } from '#contract/api/team.ts'
import { defineCommand, required, value } from '../command.ts'

export const command = defineCommand({
  doing: 'create the team',
  teamless: true,
  arguments: { slug: required('slug for URLs: a letter, then a-z, 0-9, - and _') },
  options: { name: value('name', 'display name; defaults to the slug') },
  examples: [
    ['teams create acme', 'a team'],
    ['teams create acme --name "Acme Inc."', 'with a longer name'],
  ],
  hints: { slug_taken: 'Choose another slug.' },
  async run(cli, { slug, name }) {
    const { out } = cli
    const { id } = await cli
      .api()
      .call(createTeam, { body: { slug, ...(name === undefined ? {} : { name }) } })
    if (!out.json) out.say(`Created the team ${slug}. Use it with --team ${slug}.`)
    out.show({ id, slug, name: name ?? slug }, () => id)
  },
})
