import { statSync } from 'node:fs'
import { DEV_MARK } from '#contract/dev.ts'
import { defineCommand, flag, optional, value, values } from '../command.ts'
import { homeFolder } from '../config/home-folder.ts'
import { readPairs } from '../deploy/read-pairs.ts'
import { readSiteFolder } from '../deploy/site-folder.ts'
import { findWorkspace } from '../deploy/source-folder.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { openBrowser } from '../open-browser.ts'
import { type DevMessage, runDev } from './run-dev.ts'
import { showEvent } from './show-event.ts'

const USUAL_PORT = 3000
const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new TypeError(`"${text}" should be a number from 0 to 65535`)
  return port
}

export const command = defineCommand({
  doing: 'serve the folder',
  teamless: true,
  about:
    'Serves the folder on this machine with the same routes and functions as a deployment. Needs no account, server or network. Saved changes apply to the next request. Press Ctrl-C to stop.',
  arguments: { folder: optional('folder of the site; defaults to the current one') },
  options: {
    port: value('port', `port to listen on; defaults to ${USUAL_PORT} or the next free port`, readPort),
    host: value(
      'host',
      'host or IP address to listen on; defaults to localhost. Use 0.0.0.0 for other devices',
    ),
    env: values(
      'NAME=value',
      'environment variable for functions; takes precedence over .env files',
      (text) => text,
    ),
    open: flag('open it in a browser'),
    debug: flag('print internal log output'),
    directoryListing: flag('list the files of folders without an index page'),
  },
  examples: [
    ['dev', 'serve this folder at http://localhost:3000'],
    ['dev site --port 8080 --open', 'serve another folder and open it in the browser'],
    ['dev --env DATABASE_URL=postgres://localhost/shop', 'set an environment variable'],
    ['dev --host 0.0.0.0', 'also serve other devices on your network'],
    ['dev --json', 'print events as JSON lines, starting when the server is ready'],
  ],
  async run(cli, given) {
    const { out, env, cwd } = cli
    if (env[DEV_MARK] !== undefined)
      throw usageError(
        '`aloft dev` was started by a command that `aloft dev` itself runs.',
        'Change the `dev` script to start your own development server, or set `devCommand` in aloft.json.',
      )
    const site = readSiteFolder(cwd, given.folder)
    const { folder } = site
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new CliError(EXIT.notFound, `The folder ${folder} does not exist.`)
    const colors = out.live && !env.NO_COLOR
    let failure: CliError | undefined
    const onEvent = (event: DevMessage) => {
      if (event.type === 'failed') failure ??= new CliError(EXIT.failure, event.text, event.hint, event.code)
      else showEvent(event, out, given.debug)
      if (event.type === 'ready' && given.open) openBrowser(event.url)
    }
    const workspace = findWorkspace(site, homeFolder(env))
    out.status('Starting…')
    const code = await runDev(
      {
        folder,
        ...(workspace === undefined ? {} : { workspace }),
        port: given.port ?? USUAL_PORT,
        otherPort: given.port === undefined,
        host: given.host ?? 'localhost',
        env: readPairs('--env', given.env, env) ?? {},
        directoryListing: given.directoryListing,
        colors,
      },
      onEvent,
    )
    if (failure) throw failure
    // The terminal has written ^C in the line that comes next.
    if (code === 0 && out.live) out.say(`\n${out.talkColors.dim('Stopped.')}`)
    if (code !== 0)
      throw new CliError(EXIT.failure, 'The development server ended unexpectedly.', 'See more with --debug.')
  },
})
