import type { Client } from '#client/client.ts'
import type { Cli } from './cli.ts'
import type { Link } from './config/link-file.ts'
import { findTeam, type Team } from './team/find-team.ts'

/** Calls for the team that `--team` names, else for that of `teams switch`, else for the user's own account. */
export async function accountApi(cli: Cli): Promise<Client> {
  if (cli.team !== undefined) return cli.api((await findTeam(cli.api(), cli.team)).id)
  return cli.api(cli.switched()?.id)
}

/** The same where a link counts: it comes after `--team`, and before `teams switch`. */
export async function linkedApi(cli: Cli, link: Pick<Link, 'teamId'> | undefined): Promise<Client> {
  return cli.namesAccount || link === undefined ? accountApi(cli) : cli.api(link.teamId ?? undefined)
}

/** The team that a command about a team is about. */
export const actingTeam = (cli: Cli): Promise<Team> => findTeam(cli.api(), cli.team ?? cli.switched()?.id)
