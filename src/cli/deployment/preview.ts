import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ApiError } from '#client/api-error.ts'
import { pause } from '#client/client.ts'
import { getPreview } from '#contract/api/preview.ts'
import { SECOND } from '#contract/time.ts'
import { defineCommand, optional, value } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from './choose-deployment.ts'

/** A browser is started for it where there is none yet. */
const ATTEMPTS = 30

/** What images are called by their type. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'image/gif': 'gif',
  'image/avif': 'avif',
}

/** Nothing that a server says becomes a path by itself. */
const nameOf = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? id : 'preview')

export const command = defineCommand({
  doing: 'save the preview image',
  about:
    'Saves a screenshot of the deployment, or the site icon if the server has no browser to take one. Prints the path of the file.',
  arguments: {
    deployment: optional(CHOSEN_DEPLOYMENT),
  },
  options: { output: value('file', 'file to write; named after the deployment id by default') },
  examples: [
    ['preview', 'of the live deployment'],
    ['preview dpl_7Y2h… --output shot.png', 'save to a file'],
  ],
  hints: {
    not_found: 'Protected deployments and sites without an icon have no preview. See `aloft ls --all`.',
  },
  async run(cli, { deployment, output }) {
    const { out } = cli
    const { api, id } = await chooseDeployment(cli, deployment)
    const answer = await whenMade(() => api.call(getPreview, { params: { id } }))
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const name = output ?? `${nameOf(id)}.${ENDINGS[type] ?? 'png'}`
    try {
      // Never over a file that is there.
      await writeFile(resolve(cli.cwd, name), new Uint8Array(await answer.arrayBuffer()), { flag: 'wx' })
    } catch (error) {
      throw new CliError(EXIT.failure, `${name} cannot be written: ${(error as Error).message}.`)
    }
    const kind = answer.headers.get('x-aloft-preview') ?? 'icon'
    if (!out.json) out.say(kind === 'screenshot' ? 'Saved the screenshot.' : 'Saved the icon of the site.')
    out.show({ deploymentId: id, kind, file: resolve(cli.cwd, name) }, () => plainText(name))

    async function whenMade(ask: () => Promise<Response>): Promise<Response> {
      for (let attempt = 1; ; attempt++)
        try {
          return await ask()
        } catch (error) {
          const isMaking = error instanceof ApiError && error.extra.making === true
          if (!isMaking || attempt >= ATTEMPTS) throw error
          out.status('Taking the screenshot…')
          await pause(SECOND, undefined)
        }
    }
  },
})
