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

export interface LinkedAccount {
  readonly api: Client
  readonly link: Link | undefined
}

/** Calls for that account, and the link as far as it counts there: its project is in no other account. */
export async function linkedAccount(cli: Cli, link: Link | undefined): Promise<LinkedAccount> {
  if (link === undefined || !cli.namesAccount) return { api: await linkedApi(cli, link), link }
  const teamId = cli.team === undefined ? null : (await findTeam(cli.api(), cli.team)).id
  return { api: cli.api(teamId ?? undefined), link: link.teamId === teamId ? link : undefined }
}

/** The team that a command about a team is about. */
export const actingTeam = (cli: Cli): Promise<Team> => findTeam(cli.api(), cli.team ?? cli.switched()?.id)
