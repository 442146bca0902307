import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { getProject } from '#contract/api/project.ts'
import type { Cli } from './cli.ts'
import { LINK_FILE, type Link, readLink, writeLink } from './config/link-file.ts'
import { CliError, EXIT } from './exit.ts'
import { plainText } from './output/plain-text.ts'
import { findTeam, type Team } from './team/find-team.ts'

/** The team that `--team` names, else that of `teams switch`; undefined for the user's own account. */
const actingTeamId = async (cli: Cli): Promise<string | undefined> =>
  cli.team === undefined ? cli.switched()?.id : (await findTeam(cli.api(), cli.team)).id

/** Calls for that team, or for the user's own account. */
export const accountApi = async (cli: Cli): Promise<Client> => cli.api(await actingTeamId(cli))

/** The same where a link counts: it comes after `--team`, and before `teams switch`. */
export async function linkedApi(cli: Cli, link: Pick<Link, 'teamId'> | undefined): Promise<Client> {
  return cli.namesAccount || link === undefined ? accountApi(cli) : cli.api(link.teamId ?? undefined)
}

/** The same where of a folder's link nothing counts but its account, because the rest is named. */
export async function folderApi(cli: Cli, folder = cli.cwd): Promise<Client> {
  if (cli.namesAccount) return accountApi(cli)
  const link = readLink(folder, cli.baseUrl)
  const isOther = link !== undefined && (link.teamId ?? undefined) !== cli.switched()?.id
  if (isOther) await agreeToLink(cli, folder, link, 'say whose project you mean with --team or --personal')
  return linkedApi(cli, link)
}

interface LinkedAccount {
  readonly api: Client
  readonly link: Link | undefined
}

/** Calls for that account, and the folder's link as far as it counts there: its project is in no other account. */
export async function linkedAccount(cli: Cli): Promise<LinkedAccount> {
  if (!cli.namesAccount) {
    const link = await findLink(cli, cli.cwd)
    return { api: await linkedApi(cli, link), link }
  }
  const teamId = cli.team === undefined ? null : (await findTeam(cli.api(), cli.team)).id
  const isOfAccount = readLink(cli.cwd, cli.baseUrl)?.teamId === teamId
  return { api: cli.api(teamId ?? undefined), link: isOfAccount ? await findLink(cli, cli.cwd) : undefined }
}

/** The link of a folder, if this person made it or agrees to it. */
async function findLink(cli: Cli, folder: string): Promise<Link | undefined> {
  const link = readLink(folder, cli.baseUrl)
  if (link !== undefined) await agreeToLink(cli, folder, link, 'name the project, with --team or --personal')
  return link
}

/**
 * The same for what goes to the project that is called like the folder where there is no link. A script that deploys a folder in a
 * new container each time finds the link that it wrote itself: one that leads where the name does is as good as none.
 */
export async function findLinkBeside(cli: Cli, folder: string, name: string): Promise<Link | undefined> {
  const link = readLink(folder, cli.baseUrl)
  if (link !== undefined && !cli.prompt.canAsk && !cli.linkedFolders.knows(folder, link)) {
    const teamId = await actingTeamId(cli)
    const named = (link.teamId ?? undefined) === teamId ? await lookUp(cli.api(teamId), name) : undefined
    if (named?.id === link.projectId) return undefined
  }
  return findLink(cli, folder)
}

/** Writes the link of a folder, which nobody has to agree to then. */
export function linkFolder(cli: Cli, folder: string, link: Link): void {
  writeLink(folder, link)
  cli.linkedFolders.remember(folder, link)
}

/** A project that there is, and that one may see. */
const lookUp = (api: Client, idOrName: string) =>
  api.call(getProject, { params: { idOrName } }).catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined
    throw error
  })

async function agreeToLink(cli: Cli, folder: string, link: Link, orElse: string): Promise<void> {
  if (cli.linkedFolders.knows(folder, link)) return
  const known = await lookUp(cli.api(link.teamId ?? undefined), link.projectId)
  const name = plainText(known?.name ?? link.projectId)
  const team = link.teamId === null ? undefined : (await findTeam(cli.api(), link.teamId)).slug
  const project = team === undefined ? `your project ${name}` : `the project ${name} of the team ${team}`
  const says = `${LINK_FILE} links this folder to ${project}, and was not written by you on this machine.`
  await cli.prompt.agree(
    `${says} Use that project?`,
    new CliError(
      EXIT.usage,
      says,
      `If you want that, run \`aloft link ${name}${team === undefined ? ' --personal' : ` --team ${team}`}\` first. Otherwise remove the file, or ${orElse}.`,
    ),
  )
  cli.linkedFolders.remember(folder, link)
}

/** The team that a command about a team is about. */
export const actingTeam = (cli: Cli): Promise<Team> => findTeam(cli.api(), cli.team ?? cli.switched()?.id)
