import { createToken } from '#contract/api/token.ts'
import { iso } from '#contract/time.ts'
import { defineCommand, required, value } from '../command.ts'
import { readDuration } from '../output/duration.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'create the token',
  teamless: true,
  about: 'The value goes to stdout and cannot be shown again.',
  arguments: { name: required('name to recognize it by') },
  options: {
    expiresIn: value('duration', 'lifetime, such as 12h, 30d or 1y; never expires by default', readDuration),
  },
  examples: [
    ['tokens create ci', 'create a token that never expires'],
    ['tokens create ci --expires-in 30d', 'create a token that expires in 30 days'],
    ['tokens create ci --json', 'with its id and times'],
  ],
  async run(cli, { name, expiresIn }) {
    const { out } = cli
    const created = await cli.api().call(createToken, {
      body: { name, ...(expiresIn === undefined ? {} : { expiresAt: cli.now() + expiresIn }) },
    })
    const { expiresAt } = created.token
    const until = expiresAt === undefined ? 'It never expires.' : `It expires on ${iso(expiresAt)}.`
    if (!out.json) out.say(`Created the token "${plainText(name)}". ${until} Its value is shown only once:`)
    out.show(created, () => created.bearerToken)
  },
})
