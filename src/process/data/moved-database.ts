import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFile } from '#adapters/fs/private-file.ts'
import type { Config } from '../../config/config.ts'
import { StartError } from '../supervisor/start-error.ts'

/**
 * Says in the data folder that its database is elsewhere now. Started without it, the platform would begin a new
 * installation there, and find that nobody needs the contents of the old one.
 */
const NOTE = 'database-moved'

const noteOf = (dataDir: string): string => join(dataDir, NOTE)

export const noteMove = (dataDir: string): Promise<void> =>
  writePrivateFile(noteOf(dataDir), `To PostgreSQL, ${new Date().toISOString()}\n`)

export const forgetMove = (dataDir: string): Promise<void> => rm(noteOf(dataDir), { force: true })

/** Throws where the settings name no database and there was one that moved. */
export async function refuseMoved({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined || !existsSync(noteOf(dataDir))) return
  const when = (await readFile(noteOf(dataDir), 'utf8')).trim().split(', ')[1] ?? ''
  throw new StartError(
    `ALOFT_DATABASE_URL is required: the database of ${dataDir} was moved to PostgreSQL on ${when}. To move it back, run \`aloft operator move-database --back\` with the URL set.`,
  )
}
