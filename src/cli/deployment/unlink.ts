import { defineCommand } from '../command.ts'
import { homeFolder } from '../config/home-folder.ts'
import { LINK_FILE, removeLink } from '../config/link-file.ts'
import { readSiteFolder } from '../deploy/site-folder.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'unlink the folder',
  teamless: true,
  about: `Removes ${LINK_FILE}. The project and its deployments stay as they are.`,
  examples: [['unlink', 'the next deployment links this folder again']],
  async run(cli) {
    const { home } = readSiteFolder(cli.cwd, undefined, homeFolder(cli.env))
    const unlinked = removeLink(home)
    cli.out.show({ folder: home, unlinked }, () =>
      plainText(unlinked ? `Unlinked ${home}.` : `${home} was not linked.`),
    )
  },
})
