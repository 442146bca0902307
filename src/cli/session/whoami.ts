import { getUser } from '#contract/api/user.ts'
import { defineCommand } from '../command.ts'
import { renderFacts } from '../output/table.ts'
import { findTeam } from '../team/find-team.ts'

export const command = defineCommand({
  doing: 'look up the current user',
  examples: [
    ['whoami', 'your account, the installation and where the token came from'],
    ['whoami --team acme', 'also check that you can use the team'],
  ],
  async run(cli) {
    const { out, baseUrl } = cli
    const switched = cli.switched()
    const named = cli.team ?? switched?.id
    const team = named === undefined ? undefined : await findTeam(cli.api(), named)
    const { user } = await cli.api(team?.id).call(getUser)
    const tokenFrom = cli.token()?.from
    out.show({ user, team: team ?? null, baseUrl, tokenFrom }, () =>
      renderFacts(
        [
          ['email', user.email],
          ['username', user.username],
          ['id', user.id],
          ['plan', user.plan],
          ...(user.operator ? ([['role', 'operator of this installation']] as const) : []),
          ...(user.softBlocked
            ? ([
                ['status', 'blocked: your sites are offline, and your account can be read but not changed'],
              ] as const)
            : []),
          ...(team
            ? ([['team', `${team.slug} (${team.id})${switched ? ', by teams switch' : ''}`]] as const)
            : []),
          ['installation', baseUrl],
          ['token', `from ${tokenFrom}`],
        ],
        out.colors,
      ),
    )
  },
})
