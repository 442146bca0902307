import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, EXIT } from './exit.ts'

/** Which project a folder belongs to. */
export interface Link {
  readonly projectId: string
  /** The team that has it; null when it is the user's own. */
  readonly teamId: string | null
}

export const LINK_FILE = '.aloft/project.json'

/** What `aloft link` and the first deployment wrote into the folder; undefined when they did not. */
export function readLink(folder: string): Link | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, LINK_FILE), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable((error as Error).message)
  }
  try {
    const { projectId, teamId } = JSON.parse(text) as Record<string, unknown>
    if (typeof projectId === 'string' && projectId !== '')
      return { projectId, teamId: typeof teamId === 'string' ? teamId : null }
  } catch {}
  throw unreadable('it names no project')
}

const unreadable = (why: string): CliError =>
  new CliError(EXIT.failure, `${LINK_FILE} cannot be read: ${why}.`, 'Write it anew with `aloft link`.')
