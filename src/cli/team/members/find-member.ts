import type { Static } from 'typebox'
import type { Client } from '#client/client.ts'
import { listMembers } from '#contract/api/team.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Team } from '../find-team.ts'

type Member = Static<typeof listMembers.reply>[number]

/** A member by email address, username or id. */
export async function findMember(api: Client, team: Team, text: string): Promise<Member> {
  const members = await api.call(listMembers, { params: { id: team.id } })
  const lower = text.toLowerCase()
  const found = members.find(
    ({ uid, email, username }) => uid === text || email.toLowerCase() === lower || username === lower,
  )
  if (!found)
    throw new CliError(
      EXIT.notFound,
      `"${text}" is not a member of ${team.slug}.`,
      `See its members with \`aloft teams members ls --team ${team.slug}\`.`,
    )
  return found
}
