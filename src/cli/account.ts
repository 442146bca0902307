import type { Client } from '#client/client.ts'
import type { Cli } from './cli.ts'
import { findTeam } from './team/find-team.ts'

/** Calls for the team that `--team` names, else for the user's own account. */
export async function accountApi(cli: Cli): Promise<Client> {
  return cli.api(cli.team === undefined ? undefined : (await findTeam(cli.api(), cli.team)).id)
}
