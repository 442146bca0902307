import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError, EXIT } from '../exit.ts'
import { replacePrivately } from './private-file.ts'

/** Which project a folder belongs to. */
export interface Link {
  readonly projectId: string
  /** The team that has it; null when it is the user's own. */
  readonly teamId: string | null
  /** The installation that has it. */
  readonly baseUrl?: string
}

export const LINK_FILE = '.aloft/project.json'

/**
 * What `aloft link` and the first deployment wrote into the folder; undefined when they did not, or did for
 * another installation than this.
 */
export function readLink(folder: string, baseUrl?: string): Link | undefined {
  const link = readFile(folder)
  const isOther = link?.baseUrl !== undefined && baseUrl !== undefined && link.baseUrl !== baseUrl
  return isOther ? undefined : link
}

export function writeLink(folder: string, link: Link): void {
  const path = join(folder, LINK_FILE)
  refuseElsewhere(dirname(path))
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    replacePrivately(path, `${JSON.stringify(link, null, 2)}\n`)
  } catch (error) {
    throw new CliError(
      EXIT.failure,
      `${path} cannot be written: ${(error as Error).message}.`,
      'Check the permissions of the folder, or deploy with --no-link.',
    )
  }
}

/** Whether there was a link. Its folder goes with it unless something else is in there. */
export function removeLink(folder: string): boolean {
  const path = join(folder, LINK_FILE)
  refuseElsewhere(dirname(path))
  try {
    rmSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new CliError(
      EXIT.failure,
      `${path} cannot be removed: ${message}.`,
      'Check the permissions of the folder.',
    )
  }
  try {
    rmdirSync(dirname(path))
  } catch {}
  return true
}

/** A folder that came from elsewhere may have a symlink here, to the link of another folder. */
function refuseElsewhere(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new CliError(
      EXIT.failure,
      `${path} is a symlink, and the link of a folder is never written elsewhere.`,
      'Remove it, or deploy with --no-link.',
    )
}

function readFile(folder: string): Link | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, LINK_FILE), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable((error as Error).message)
  }
  try {
    const { projectId, teamId, baseUrl } = JSON.parse(text) as Record<string, unknown>
    // It stands in a command that people are told to run.
    if (typeof projectId === 'string' && /^[\w-]+$/.test(projectId))
      return {
        projectId,
        teamId: typeof teamId === 'string' ? teamId : null,
        ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
      }
  } catch {}
  throw unreadable('it does not name a project')
}

const unreadable = (why: string): CliError =>
  new CliError(EXIT.failure, `${LINK_FILE} cannot be read: ${why}.`, 'Create it again with `aloft link`.')
