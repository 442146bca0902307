import { parseArgs } from 'node:util'
import { readLocation } from '#adapters/blob-s3/location.ts'
import { type Config, ConfigError, readConfig, unknownVariables } from '../config/config.ts'
import { createLog } from './compose/log.ts'
import { tooFewFiles } from './compose/serving/descriptor-limit.ts'
import { exposedStores } from './compose/status/exposed-stores.ts'
import { readConfigFile } from './config-file.ts'
import {
  holdDataFolder,
  requireDataFolder,
  requireSocketFolder,
  requireTemporaryFolder,
} from './data/data-folder.ts'
import { guardDataFolder, isDataFolderNamed } from './data/folder-rights.ts'
import { forgetUnfinishedMove, refuseMoved } from './data/moved-database.ts'
import { CHILD_ROLES, type ChildRole } from './supervisor/child/child.ts'
import { readChildOptions } from './supervisor/child/child-options.ts'
import { SocketError } from './supervisor/socket/listen-sockets.ts'
import { StartError } from './supervisor/start-error.ts'
import { type Role, supervise } from './supervisor/supervisor.ts'

/** What only the file knows that this was loaded from. */
interface OwnStart {
  /** What children are started with at first; looked for where it is left out. */
  readonly program?: string
  /** Called when the process is ready for the first time. */
  readonly onReady?: () => void
}

const ROLES: readonly Role[] = ['all', 'serve', 'work']

/** The server. Without arguments it supervises everything; `--role` picks a kind for machines of their own. */
async function start(args: readonly string[], own: OwnStart): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      role: { type: 'string', default: 'all' },
      child: { type: 'string' },
      given: { type: 'string' },
    },
  })
  const readFile = () => readConfigFile(process.cwd())
  const file = readFile()
  const config = readConfig(process.env, file)
  if (values.child !== undefined) return runAsChild(values.child, config, values.given, own)

  const role = values.role as Role
  if (!ROLES.includes(role)) throw new StartError(`--role takes one of ${ROLES.join(', ')}`)
  const log = createLog(config.logLevel, 'supervisor')
  for (const name of unknownVariables(process.env)) log.warn({ name }, 'unknown setting; is it misspelled?')
  for (const fault of exposedStores(config)) log.warn({ fault }, 'others on the network could interfere')
  checkAbilities(config)
  const tooFew = tooFewFiles()
  if (tooFew !== undefined) throw new StartError(tooFew)
  const open = await guardDataFolder(config.dataDir, isDataFolderNamed(process.env, file))
  if (open !== undefined) log.warn({ dataDir: config.dataDir }, open)
  await requireDataFolder(config)
  await requireTemporaryFolder()
  await requireSocketFolder(config)
  await refuseMoved(config)
  const held = role === 'serve' ? {} : { onStopping: await holdDataFolder(config) }
  await forgetUnfinishedMove(config)
  return supervise(config, role, log, { reread: () => readConfig(process.env, readFile()), ...own, ...held })
}

/** Settings that cannot be used as they are. */
function checkAbilities({ blobUrl, blobFrom }: Config): void {
  for (const [name, url] of Object.entries({ ALOFT_BLOB_URL: blobUrl, ALOFT_BLOB_FROM: blobFrom }))
    try {
      if (url !== undefined) readLocation(url)
    } catch (error) {
      throw new StartError(`${name}: the value is not accepted; it should have ${(error as Error).message}`)
    }
}

async function runAsChild(
  role: string,
  config: Config,
  text: string | undefined,
  { onReady }: OwnStart,
): Promise<number> {
  if (!(CHILD_ROLES as readonly string[]).includes(role))
    throw new StartError(`there is no child role ${role}`)
  const given = readChildOptions(text)
  if (given === undefined)
    throw new StartError('the running supervisor has another version; stop the server and start it again')
  // Loaded here, because the supervisor has no use for what a child is made of.
  const { runChild } = await import('./supervisor/child/run-child.ts')
  return runChild(role as ChildRole, config, given, onReady)
}

/**
 * The work of the server goes on although whoever reads what it prints has ended, its terminal was closed, or the disk that it
 * prints to is full.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // A command of the command line ends with its reader.
    stream.removeAllListeners('error')
    stream.on('error', () => {})
  }
}

/** Runs to the end and answers the exit code; mistakes of the operator are told in a line each. */
export async function run(args: readonly string[], own: OwnStart = {}): Promise<number> {
  outliveReaders()
  try {
    return await start(args, own)
  } catch (error) {
    const known = [ConfigError, SocketError, StartError].some((kind) => error instanceof kind)
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const text = known ? message : (stack ?? message)
    for (const line of text.split('\n')) process.stderr.write(known ? `aloft: ${line}\n` : `${line}\n`)
    return 1
  }
}
