import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getFile } from '#contract/api/deployment.ts'
import { defineCommand, optional, required, value } from '../command.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from '../deployment/choose-deployment.ts'
import { SEE } from '../deployment/find-deployment.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { readFiles } from './tree.ts'

export const command = defineCommand({
  doing: 'get the file',
  about: 'Writes the content to stdout, or to a new file with --output.',
  arguments: {
    path: required('path of the file in the deployment'),
    deployment: optional(CHOSEN_DEPLOYMENT),
  },
  options: { output: value('file', 'write to this file instead') },
  examples: [
    ['files get index.html', 'of the live deployment'],
    ['files get logo.png dpl_7Y2h… --output logo.png', 'into a file'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { out } = cli
    const { output } = given
    if (out.json && output === undefined)
      throw usageError('A file cannot be printed as JSON.', 'Save it with --output <file>, or omit --json.')
    const { api, id } = await chooseDeployment(cli, given.deployment)
    const path = given.path.replace(/^\.?\/+/, '')
    const found = (await readFiles(api, id)).find((file) => file.path === path)
    if (found === undefined)
      throw new CliError(
        EXIT.notFound,
        `${id} has no file "${path}".`,
        'See its files with `aloft files ls`.',
      )
    const answer = await api.call(getFile, { params: { id, fileId: found.uid } })
    const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    if (output === undefined) return await out.stream(body)
    try {
      // Never over a file that is there.
      await pipeline(body, createWriteStream(resolve(cli.cwd, output), { flags: 'wx' }))
    } catch (error) {
      throw new CliError(EXIT.failure, `${output} cannot be written: ${(error as Error).message}.`)
    }
    out.show({ path, uid: found.uid, file: resolve(cli.cwd, output) }, () => plainText(`Wrote ${output}.`))
  },
})
