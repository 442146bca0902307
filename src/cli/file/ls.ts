import { defineCommand, optional } from '../command.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from '../deployment/choose-deployment.ts'
import { SEE } from '../deployment/find-deployment.ts'
import { plainText } from '../output/plain-text.ts'
import { readFiles } from './tree.ts'

export const command = defineCommand({
  doing: 'list the files',
  about: 'Lists the uploaded files by path.',
  arguments: { deployment: optional(CHOSEN_DEPLOYMENT) },
  examples: [
    ['files ls', 'of the live deployment'],
    ['files ls dpl_7Y2h… --json', 'with content hashes, as JSON'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { api, id } = await chooseDeployment(cli, given.deployment)
    const files = await readFiles(api, id)
    cli.out.show({ files }, () => files.map(({ path }) => plainText(path)).join('\n'))
  },
})
