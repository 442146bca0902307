import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '#adapters/fs/error-code.ts'
import { syncFolder, writePrivateFile } from '#adapters/fs/private-file.ts'
import type { Config } from '../../config/config.ts'
import { StartError } from '../supervisor/start-error.ts'

export const EMBEDDED = 'aloft.db'

/** What a move needs until it is done. One that was cut off left it there, and goes on with it. */
export const movingFolder = (dataDir: string): string => join(dataDir, '.moving')

/**
 * Says in the data folder that its database is elsewhere now. Started without it, the platform would begin a new
 * installation there, and find that nobody needs the contents of the old one.
 */
const noteOf = (dataDir: string): string => join(dataDir, 'database-moved')

export const noteMove = (dataDir: string): Promise<void> =>
  rewrite(noteOf(dataDir), `To PostgreSQL, ${new Date().toISOString()}\n`)

export const forgetMove = (dataDir: string): Promise<void> => rm(noteOf(dataDir), { force: true })

/** Written just before PostgreSQL commits, with what the rows have as well: so the move can be told for done. */
export interface Commit {
  readonly id: string
  readonly rows: number
  readonly contents: number
  /** The name of the folder in which the old installation is kept. */
  readonly keptIn: string
}

const commitOf = (dataDir: string): string => join(movingFolder(dataDir), 'commit.json')

export async function noteCommit(dataDir: string, commit: Commit): Promise<void> {
  await rewrite(commitOf(dataDir), JSON.stringify(commit))
  await syncFolder(movingFolder(dataDir))
}

export async function readCommit(dataDir: string): Promise<Commit | undefined> {
  try {
    return JSON.parse(await readFile(commitOf(dataDir), 'utf8'))
  } catch (error) {
    // One that was cut off while it was written: nothing was committed yet.
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw error
  }
}

/** Throws where the settings name no database and there was one that moved. */
export async function refuseMoved({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined || !existsSync(noteOf(dataDir)) || isBack(dataDir)) return
  const when = (await readFile(noteOf(dataDir), 'utf8')).trim().split(', ')[1] ?? ''
  throw new StartError(
    `ALOFT_DATABASE_URL is required: the database of ${dataDir} was moved to PostgreSQL on ${when}. To move it back, run \`aloft operator move-database --back\` with the URL set.`,
  )
}

/** Once the embedded database is used again, a move that was cut off can no longer be told for done. */
export async function forgetUnfinishedMove({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined) return
  await rm(commitOf(dataDir), { force: true })
  await forgetMove(dataDir)
}

/** A move back was cut off between its last two steps: the embedded database is in its place. */
const isBack = (dataDir: string): boolean =>
  existsSync(join(dataDir, EMBEDDED)) && !existsSync(commitOf(dataDir))

async function rewrite(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  await writePrivateFile(path, text)
}
