import { join } from 'node:path'
import { getProject } from '#contract/api/project.ts'
import { teamIdOf } from '#contract/ids.ts'
import { accountApi, linkFolder } from '../account.ts'
import { defineCommand, optional } from '../command.ts'
import { homeFolder } from '../config/home-folder.ts'
import { LINK_FILE } from '../config/link-file.ts'
import { readSiteFolder } from '../deploy/site-folder.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'link the folder',
  about: `Later deployments of this folder go to the project, and other commands use it by default. Writes ${LINK_FILE}.`,
  arguments: { project: optional('project id or name; defaults to the folder name') },
  examples: [
    ['link', 'link to the project with the name of the folder'],
    ['link shop --team acme', 'link to a project of a team'],
  ],
  hints: {
    not_found:
      'List your projects with `aloft projects ls`, choose a team with --team, or deploy to create one.',
  },
  async run(cli, given) {
    const { home, name } = readSiteFolder(cli.cwd, undefined, homeFolder(cli.env))
    const api = await accountApi(cli)
    const project = await api.call(getProject, { params: { idOrName: given.project ?? name } })
    const teamId = teamIdOf(project.accountId)
    const link = { projectId: project.id, teamId, baseUrl: cli.baseUrl }
    linkFolder(cli, home, link)
    cli.out.show({ ...link, name: project.name, file: join(home, LINK_FILE) }, () =>
      plainText(`Linked ${home} to ${project.name}.`),
    )
  },
})
