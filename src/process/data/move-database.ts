import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { tryLockFile } from '#adapters/blob-fs/folder/file-lock.ts'
import { makePrivateFolder, syncFolder } from '#adapters/fs/private-file.ts'
import { isMoved } from '#adapters/sql/backup/schema-tables.ts'
import { createTableSource, migrationsOf, type SourceConfig } from '#adapters/sql/backup/table-source.ts'
import {
  DatabaseTaken,
  openTableTarget,
  type SchemaName,
  settingIn,
  type TableTarget,
  unknownSteps,
} from '#adapters/sql/backup/table-target.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createSettingStore } from '#adapters/sql/database/setting-store.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import { createFileStore } from '#adapters/sql/file/file-store.ts'
import { MIGRATIONS } from '#adapters/sql/migrations/list.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { hasContents, INSTALLATION } from '../compose/content/contents.ts'
import { readConfigFile } from '../config-file.ts'
import { copyToStore } from './copy-to-store.ts'
import { holdDataFolder } from './data-folder.ts'
import { guardDataFolder, isDataFolderNamed } from './folder-rights.ts'
import { hasOpenStores, isInUse } from './in-use.ts'
import { MendableError } from './mendable-error.ts'
import {
  type Commit,
  EMBEDDED,
  forgetMove,
  movingFolder,
  noteCommit,
  noteMove,
  readCommit,
} from './moved-database.ts'
import { syncFiles } from './sync-files.ts'

interface MoveOptions {
  /** From PostgreSQL to the embedded database, rather than the other way. */
  readonly back: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Hears often how far it is. */
  readonly onProgress?: (progress: MoveProgress) => void
}

type MoveProgress =
  | { readonly table: string; readonly rows: number }
  | { readonly contents: number; readonly of: number }

interface MovedDatabase {
  readonly dataDir: string
  readonly to: 'sqlite' | 'postgresql'
  /** Unknown where that was done before the command was cut off. */
  readonly rows: number
  /** How many contents of files are in the object store. */
  readonly contents?: number
  /** Contents that are damaged, and stayed. */
  readonly damaged?: number
  /** Where the old installation is now that is no longer used. */
  readonly keptIn?: string
}

class MoveError extends MendableError {
  override readonly name = 'MoveError'
}

const LOGS = 'logs.db'
const CONTENTS = 'blobs'
/** What SQLite has beside a file. */
const PARTS = ['', '-wal', '-shm'] as const
/** The setting by which PostgreSQL is known to hold what a move has put there. Each has its own: it moves back with all others. */
const settingOf = (id: string): string => `move-${id}`

/**
 * Moves the rows of a stopped installation between the embedded database and an empty PostgreSQL database: all of them, as
 * they are. Where the settings name an object store, contents of files go there first. Repositories and the master key stay.
 * One that fails or is killed leaves the old installation in use, and goes on where it was when it is given again.
 */
export async function moveDatabase(options: MoveOptions): Promise<MovedDatabase> {
  const file = readConfigFile(options.cwd)
  const config = readConfig(options.env, file)
  const url = config.databaseUrl?.reveal()
  if (url === undefined)
    throw new MoveError(
      'There is no PostgreSQL database to move to or from.',
      'Set ALOFT_DATABASE_URL, as you will start Aloft with it.',
    )
  const dataDir = resolve(config.dataDir)
  await guardDataFolder(dataDir, isDataFolderNamed(options.env, file))
  if (!options.back && !existsSync(join(dataDir, EMBEDDED)) && !(await readCommit(dataDir)))
    throw new MoveError(
      `There is no embedded database in ${dataDir}.`,
      'Run it on the server, with the ALOFT_DATA_DIR that Aloft was started with.',
    )
  if (options.back && existsSync(join(dataDir, EMBEDDED)))
    throw new MoveError(`There is an embedded database in ${dataDir} already.`)

  const folder = movingFolder(dataDir)
  await makePrivateFolder(folder)
  const lock = tryLockFile(join(folder, 'lock'))
  if (lock === undefined) throw new MoveError(`Another move of ${dataDir} is in progress.`)
  try {
    return await (options.back ? moveBack : moveAway)({ ...options, config, url, dataDir })
  } finally {
    // What was copied to an object store is gone on with, and so is what PostgreSQL may have committed.
    if (!existsSync(join(folder, PLACES)) && !(await readCommit(dataDir).catch(() => true)))
      await rm(folder, { recursive: true, force: true })
    lock.release()
  }
}

interface DatabaseMove extends MoveOptions {
  readonly config: Config
  readonly url: string
  readonly dataDir: string
}

/** Where contents are in the object store. */
const PLACES = 'places.db'

const embeddedIn = (folder: string): SourceConfig => ({
  ...{ file: join(folder, EMBEDDED), logFile: join(folder, LOGS), isMeant: isMoved },
})

async function moveBack({ config, url, dataDir, onProgress }: DatabaseMove): Promise<MovedDatabase> {
  if (await isInUse(dataDir)) throw isRunning(dataDir)
  const release = await holdDataFolder(config)
  const folder = movingFolder(dataDir)
  try {
    await rm(folder, { recursive: true, force: true })
    await makePrivateFolder(folder)
    const rows = await copy({ from: { ...embeddedIn(dataDir), url }, to: embeddedIn(folder), onProgress })
    await syncFiles(folder)
    for (const name of [LOGS, EMBEDDED]) await rename(join(folder, name), join(dataDir, name))
    await syncFolder(dataDir)
    await forgetMove(dataDir)
    return { dataDir, to: 'sqlite', rows }
  } finally {
    await release()
  }
}

async function moveAway(move: DatabaseMove): Promise<MovedDatabase> {
  const { config, url, dataDir } = move
  const committed = await readCommit(dataDir)
  const there = await settingIn(url, settingOf(committed?.id ?? ''))
  if (committed && there?.value !== undefined) {
    // It may have been started with the new database already.
    if (await isInUse(dataDir)) throw isRunning(dataDir)
    return putAway(move, committed)
  }
  if (there) throw databaseTaken(new DatabaseTaken())
  const { blobUrl } = config
  const copied = { ...config, blobUrl: blobUrl ?? '' }
  const copies = blobUrl !== undefined && (await mayCopy(dataDir))
  if (await isInUse(dataDir)) {
    if (!copies) throw isRunning(dataDir)
    await copyAll(copied, move)
    throw new MoveError(
      'The contents of files have been copied to the object store while the server is running; nothing else was moved.',
      'Stop the server and run the command again: it copies what was added meanwhile, then moves the database.',
    )
  }
  const release = await holdDataFolder(config)
  try {
    const store = copies ? await copyAll(copied, move) : undefined
    const commit = {
      id: randomUUID(),
      contents: store?.contents ?? 0,
      keptIn: `before-move-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`,
    }
    const settings = [
      { key: settingOf(commit.id), value: new Date().toISOString() },
      ...(store && !store.isNamed ? [{ key: INSTALLATION, value: store.installation }] : []),
    ]
    const rows = await copy({
      ...{ from: embeddedIn(dataDir), to: { ...embeddedIn(dataDir), url }, onProgress: move.onProgress },
      ...(store ? { places: join(movingFolder(dataDir), PLACES) } : {}),
      ...{ settings },
      async beforeFinish(rows) {
        // One that only serves holds no folder, and may have been started meanwhile.
        if (await hasOpenStores(dataDir)) throw isRunning(dataDir)
        await noteCommit(dataDir, { ...commit, rows })
      },
    })
    const moved = await putAway(move, { ...commit, rows })
    return store && store.damaged > 0 ? { ...moved, damaged: store.damaged } : moved
  } finally {
    await release()
  }
}

const isRunning = (dataDir: string) => new MoveError(`A server is running with ${dataDir}.`, 'Stop it first.')

/** Without contents there, a new object store is not asked for either. Contents of one that is in use are moved by the server. */
async function mayCopy(dataDir: string): Promise<boolean> {
  if (!(await hasContents(join(dataDir, CONTENTS)))) return false
  const source = embeddedIn(dataDir)
  const known = await migrationsOf(source, 'main')
  const database = await openDatabase(source)
  try {
    if (MIGRATIONS.some(({ name }) => !known.includes(name)))
      throw new MoveError(
        'The database was last used by an older version of Aloft.',
        'Start the server once with this version and without ALOFT_DATABASE_URL and ALOFT_BLOB_URL, then move it.',
      )
    return (await createContentIndex(database.db).page('', 1)).length === 0
  } finally {
    await database.close()
  }
}

async function copyAll(config: Config & { readonly blobUrl: string }, { dataDir, onProgress }: DatabaseMove) {
  const database = await openDatabase(embeddedIn(dataDir))
  try {
    const installation = await createSettingStore(database.db).get(INSTALLATION)
    const files = createFileStore(database.db)
    const copied = await copyToStore(config, {
      ...{ places: join(movingFolder(dataDir), PLACES), installation },
      onDamage: (sha256) => files.addDamaged(sha256, Date.now()),
      onProgress: (contents, of) => onProgress?.({ contents, of }),
    }).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error
      throw new MoveError(
        `Contents could not be copied to the object store: ${error.message}`,
        'Run it again when that is mended: it goes on where it was.',
      )
    })
    return { ...copied, isNamed: installation !== undefined }
  } finally {
    await database.close()
  }
}

interface Copy {
  readonly from: SourceConfig
  readonly to: SourceConfig
  /** Where contents are, if they were copied as well. */
  readonly places?: string
  /** What else is to be among the settings. */
  readonly settings?: readonly { readonly key: string; readonly value: string }[]
  readonly beforeFinish?: (rows: number) => Promise<void>
  readonly onProgress: MoveOptions['onProgress']
}

async function copy({ from, to, places, settings = [], beforeFinish, onProgress }: Copy): Promise<number> {
  const schemas: SchemaName[] =
    from.url !== undefined || existsSync(from.logFile) ? ['main', 'logs'] : ['main']
  const target = await openTableTarget(to).catch((error: unknown) => {
    throw error instanceof DatabaseTaken ? databaseTaken(error) : error
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
    if (places !== undefined)
      all += await copySchema({ file: places, logFile: '', isMeant: isPlace }, target, 'main', onProgress)
    for (const setting of settings) await target.add('main', 'settings', [JSON.stringify(setting)])
    await beforeFinish?.(all)
    await target.finish()
    return all
  } catch (error) {
    await target.abandon()
    throw error
  }
}

const isPlace = (table: string): boolean => table === 'contents' || table === 'content_objects'

const databaseTaken = ({ message }: DatabaseTaken) =>
  new MoveError(message, 'Create an empty database and name that one.')

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
      onProgress?.({ table, rows })
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

/** Names the new database as the one that counts. What is no longer used stays, for the operator to delete. */
async function putAway(
  { dataDir }: DatabaseMove,
  { rows, contents, keptIn }: Commit,
): Promise<MovedDatabase> {
  await noteMove(dataDir)
  const to = join(dataDir, keptIn)
  await makePrivateFolder(to)
  const files = [EMBEDDED, LOGS].flatMap((file) => PARTS.map((part) => `${file}${part}`))
  for (const name of contents > 0 ? [...files, CONTENTS] : files)
    if (existsSync(join(dataDir, name))) await rename(join(dataDir, name), join(to, name))
  await syncFolder(dataDir)
  await rm(movingFolder(dataDir), { recursive: true, force: true })
  return { dataDir, to: 'postgresql', rows, ...(contents > 0 ? { contents } : {}), keptIn: to }
}
