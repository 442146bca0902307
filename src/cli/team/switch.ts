import { defineCommand, flag, optional } from '../command.ts'
import { usageError } from '../exit.ts'
import { findTeam } from './find-team.ts'

export const command = defineCommand({
  doing: 'switch to the team',
  teamless: true,
  about:
    'Commands in every terminal use this team until you switch again or log out. --team, --personal and the team of a linked folder take precedence. The choice belongs to your stored login and does not affect tokens given with ALOFT_TOKEN or --token.',
  arguments: { team: optional('id or slug of the team') },
  options: { personal: flag('switch back to your personal account') },
  examples: [
    ['teams switch acme', 'make the team the default account'],
    ['teams switch --personal', 'switch back to your personal account'],
    ['teams switch', 'show the current account'],
  ],
  async run(cli, { team, personal }) {
    const { auth, out, baseUrl } = cli
    if (team !== undefined && personal) throw usageError('Pass a team, or --personal.')
    const login = auth.find(baseUrl)
    const named = cli.namedToken()
    if (login === undefined || named !== undefined)
      throw usageError(
        login === undefined
          ? `You are not logged in to ${baseUrl}, so there is no login to switch.`
          : `This switches your stored login, but ${named?.from} is used instead.`,
        'Pass the team to each command with --team <id or slug>, or run `aloft login`.',
      )
    if (team === undefined && !personal) {
      const now = login.team
      return out.show({ team: now ?? null }, () => now?.slug ?? 'your personal account')
    }
    const found = team === undefined ? undefined : await findTeam(cli.api(), team)
    const chosen = found && { id: found.id, slug: found.slug }
    auth.switchTeam(baseUrl, login.token, chosen)
    out.show({ team: chosen ?? null }, () =>
      chosen ? `Now using the team ${chosen.slug}.` : 'Now using your personal account.',
    )
  },
})
