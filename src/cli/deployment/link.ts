import { join } from 'node:path'
import { getProject } from '#contract/api/project.ts'
import { teamIdOf } from '#contract/ids.ts'
import { accountApi } from '../account.ts'
import { defineCommand, optional } from '../command.ts'
import { readSiteFolder } from '../deploy/site-folder.ts'
import { LINK_FILE, writeLink } from '../link-file.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'link the folder',
  about: `Later deployments of this folder go to the project, and commands about a project mean it. Writes ${LINK_FILE}.`,
  team: true,
  arguments: { project: optional('id or name of the project; when left out, the one named as the folder') },
  examples: [
    ['link', 'to the project that is named as the folder'],
    ['link shop --team acme', 'to a project of a team'],
  ],
  hints: {
    not_found:
      'See your projects with `aloft projects ls`, name a team with --team, or deploy: that makes one.',
  },
  async run(cli, given) {
    const { out } = cli
    const { home, name } = readSiteFolder(cli.cwd, undefined, cli.env.HOME)
    const api = await accountApi(cli)
    const project = await api.call(getProject, { params: { idOrName: given.project ?? name } })
    const teamId = teamIdOf(project.accountId)
    const link = { projectId: project.id, teamId, baseUrl: cli.baseUrl }
    writeLink(home, link)
    out.show({ ...link, name: project.name, file: join(home, LINK_FILE) }, () =>
      plainText(`Linked ${home} to ${project.name}.`),
    )
  },
})
