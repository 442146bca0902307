import type { Static } from 'typebox'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { getTeam, listTeams } from '#contract/api/team.ts'
import { CliError, EXIT, usageError } from '../exit.ts'

export type Team = Static<typeof getTeam.reply>

const SEE = 'See your teams with `aloft teams ls`.'

/** A team by its id or its slug. */
export async function findTeam(api: Client, idOrSlug: string | undefined): Promise<Team> {
  if (idOrSlug === undefined)
    throw usageError('The team is missing.', `Pass it with --team <id or slug>. ${SEE}`)
  try {
    if (/^team_[0-9A-Za-z]{24}$/.test(idOrSlug)) return await api.call(getTeam, { params: { id: idOrSlug } })
    const found = await api.call(listTeams, { query: { slug: idOrSlug } })
    if (!('teams' in found)) return found
  } catch (error) {
    if (!isNotYours(error)) throw error
  }
  throw new CliError(EXIT.forbidden, `You are not a member of "${idOrSlug}", or there is no such team.`, SEE)
}

/** Refused because of the team, rather than because of the token. */
const isNotYours = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && error.extra.invalidToken !== true
