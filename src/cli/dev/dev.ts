import { statSync } from 'node:fs'
import { DEV_MARK } from '#contract/dev.ts'
import { defineCommand, flag, optional, value, values } from '../command.ts'
import { readPairs } from '../deploy/read-pairs.ts'
import { readSiteFolder } from '../deploy/site-folder.ts'
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
  about:
    'Serves the folder on this machine with the routes and functions that a deployment of it would have. No account, no server and no network is needed. What you save is what the next request gets. Ctrl-C ends it.',
  arguments: { folder: optional('the folder of the site; when left out, this one') },
  options: {
    port: value('port', `where to listen; when left out, ${USUAL_PORT} or the next free one`, readPort),
    host: value('host', 'at which name or address; when left out, localhost. 0.0.0.0 is for all machines'),
    env: values('NAME=value', 'a variable for functions, over the .env files', (text) => text),
    open: flag('open it in a browser'),
    debug: flag('print what the parts of the platform say on the way'),
    directoryListing: flag('list folders without an index, as a project can be set to'),
  },
  examples: [
    ['dev', 'this folder, at http://localhost:3000'],
    ['dev site --port 8080 --open', 'another one, in the browser'],
    ['dev --env DATABASE_URL=postgres://localhost/shop', 'with a variable of its own'],
    ['dev --host 0.0.0.0', 'for the phone beside you, too'],
    ['dev --json', 'events for a program, one a line; the first is that it is ready'],
  ],
  async run(cli, given) {
    const { out, env, cwd } = cli
    if (env[DEV_MARK] !== undefined)
      throw usageError(
        '`aloft dev` was started by a command that it had started itself.',
        'Have the `dev` script start your own development server, or name that as `devCommand` in aloft.json.',
      )
    const { folder } = readSiteFolder(cwd, given.folder)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new CliError(EXIT.notFound, `There is no folder ${folder}.`)
    const colors = out.live && !env.NO_COLOR
    let failure: CliError | undefined
    const onEvent = (event: DevMessage) => {
      if (event.type === 'failed') failure ??= new CliError(EXIT.failure, event.text, event.hint, event.code)
      else showEvent(event, out, given.debug)
      if (event.type === 'ready' && given.open) openBrowser(event.url)
    }
    out.status('Starting…')
    const code = await runDev(
      {
        folder,
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
