import type { Client } from '#client/client.ts'
import { folderApi, linkedAccount } from '../account.ts'
import type { Cli } from '../cli.ts'
import { value } from '../command.ts'
import { readLink } from '../config/link-file.ts'
import { usageError } from '../exit.ts'

/** For commands about one project. */
export const projectOption = {
  project: value('id or name', 'project to use; defaults to the linked project'),
}

/** The project that is meant, and calls for the account that has it. */
interface ChosenProject {
  readonly api: Client
  readonly idOrName: string
}

/** The project that was named, or the one that the folder is linked to; of the team that it is linked for, in any case. */
export async function chooseProject(cli: Cli, named: string | undefined): Promise<ChosenProject> {
  if (named !== undefined) return { api: await folderApi(cli), idOrName: named }
  if (readLink(cli.cwd, cli.baseUrl) === undefined)
    throw usageError(
      'Which project? This folder is not linked to one.',
      'Link it with `aloft link`, or pass one with --project <id or name>.',
    )
  const { api, link } = await linkedAccount(cli)
  if (link === undefined)
    throw usageError(
      'Which project? This folder is linked to one of another account.',
      'Pass one with --project <id or name>, or use the account of the folder without --team and --personal.',
    )
  return { api, idOrName: link.projectId }
}
