import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasLiveWriters } from '#adapters/blob-fs/folder/writers.ts'
import { syncFolder } from '#adapters/fs/private-file.ts'
import { isMoved } from '#adapters/sql/backup/schema-tables.ts'
import { createTableSource, migrationsOf, type SourceConfig } from '#adapters/sql/backup/table-source.ts'
import {
  DatabaseTaken,
  openTableTarget,
  type SchemaName,
  type TableTarget,
  unknownSteps,
} from '#adapters/sql/backup/table-target.ts'
import { readConfig } from '../../config/config.ts'
import { readConfigFile } from '../config-file.ts'
import { MendableError } from './mendable-error.ts'
import { forgetMove, noteMove } from './moved-database.ts'
import { syncFiles } from './sync-files.ts'

interface MoveOptions {
  /** From PostgreSQL to the embedded database, rather than the other way. */
  readonly back: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Hears after every few hundred rows how many there are. */
  readonly onProgress?: (table: string, rows: number) => void
}

interface MovedDatabase {
  readonly dataDir: string
  readonly to: 'sqlite' | 'postgresql'
  readonly rows: number
  /** Where the embedded database is now that is no longer used. */
  readonly keptIn?: string
}

class MoveError extends MendableError {
  override readonly name = 'MoveError'
}

const MAIN = 'aloft.db'
const LOGS = 'logs.db'
/** What SQLite has beside a file. */
const PARTS = ['', '-wal', '-shm'] as const

/**
 * Moves the rows of a stopped installation between the embedded database and an empty PostgreSQL database: all of them, as
 * they are. Contents, repositories and the master key stay. One that fails or is killed leaves the old database in use.
 */
export async function moveDatabase({ back, env, cwd, onProgress }: MoveOptions): Promise<MovedDatabase> {
  const { dataDir, databaseUrl } = readConfig(env, readConfigFile(cwd))
  const url = databaseUrl?.reveal()
  if (url === undefined)
    throw new MoveError(
      'There is no PostgreSQL database to move to or from.',
      'Set ALOFT_DATABASE_URL, as you will start Aloft with it.',
    )
  const hasEmbedded = existsSync(join(dataDir, MAIN))
  if (!back && !hasEmbedded)
    throw new MoveError(
      `There is no embedded database in ${resolve(dataDir)}.`,
      'Run it on the server, with the ALOFT_DATA_DIR that Aloft was started with.',
    )
  if (back && hasEmbedded)
    throw new MoveError(`There is an embedded database in ${resolve(dataDir)} already.`)
  if (await hasLiveWriters(join(dataDir, 'blobs')))
    throw new MoveError(`A server is running with ${resolve(dataDir)}.`, 'Stop it first.')

  const aside = join(dataDir, `.moving-${randomBytes(4).toString('hex')}`)
  const embedded = (folder: string): SourceConfig => ({
    ...{ file: join(folder, MAIN), logFile: join(folder, LOGS), isMeant: isMoved },
  })
  const server: SourceConfig = { ...embedded(dataDir), url }
  await mkdir(aside, { recursive: true, mode: 0o700 })
  try {
    const rows = await copy(back ? server : embedded(dataDir), back ? embedded(aside) : server, onProgress)
    if (back) {
      await syncFiles(aside)
      for (const name of [LOGS, MAIN]) await rename(join(aside, name), join(dataDir, name))
      await forgetMove(dataDir)
    } else await noteMove(dataDir)
    const keptIn = back ? undefined : await putAway(dataDir)
    await syncFolder(dataDir)
    const to = back ? 'sqlite' : 'postgresql'
    return { dataDir: resolve(dataDir), to, rows, ...(keptIn === undefined ? {} : { keptIn }) }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

async function copy(
  from: SourceConfig,
  to: SourceConfig,
  onProgress: MoveOptions['onProgress'],
): Promise<number> {
  const schemas: SchemaName[] =
    from.url !== undefined || existsSync(from.logFile) ? ['main', 'logs'] : ['main']
  const target = await openTableTarget(to).catch((error: unknown) => {
    throw error instanceof DatabaseTaken
      ? new MoveError(error.message, 'Create an empty database and name that one.')
      : error
  })
  let all = 0
  try {
    for (const schema of schemas) {
      const migrations = await migrationsOf(from, schema)
      const unknown = unknownSteps(schema, { migrations, tables: [] })
      if (unknown.length > 0)
        throw new MoveError(
          `The database was written by a newer version of Aloft: this one does not know ${unknown.join(', ')}.`,
          'Move it with that version.',
        )
      await target.begin(schema, migrations)
    }
    for (const schema of schemas) all += await copySchema(from, target, schema, onProgress)
    await target.finish()
    return all
  } catch (error) {
    await target.abandon()
    throw error
  }
}

async function copySchema(
  from: SourceConfig,
  target: TableTarget,
  schema: SchemaName,
  onProgress: MoveOptions['onProgress'],
): Promise<number> {
  let all = 0
  let [last, rows] = ['', 0]
  const { tables } = await createTableSource(from).rows(schema, {
    async rows(table, lines) {
      await target.add(schema, table, lines)
      rows = (table === last ? rows : 0) + lines.length
      last = table
      onProgress?.(table, rows)
    },
    async blobs() {},
  })
  for (const { name, rows: had } of tables) {
    const has = await target.count(schema, name)
    if (has !== had) throw new MoveError(`Of ${had} rows of ${name}, ${has} arrived. Nothing was changed.`)
    all += had
  }
  return all
}

/** What is no longer used stays, for the operator to delete. */
async function putAway(dataDir: string): Promise<string> {
  const to = join(dataDir, `before-move-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`)
  await mkdir(to, { mode: 0o700 })
  for (const name of [MAIN, LOGS].flatMap((file) => PARTS.map((part) => `${file}${part}`)))
    if (existsSync(join(dataDir, name))) await rename(join(dataDir, name), join(to, name))
  return resolve(to)
}
