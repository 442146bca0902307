import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Archive, type ArchiveEntry, ArchiveError, openArchive } from '#adapters/backup-tar/archive.ts'
import { keyCheckOf } from '#adapters/backup-tar/key-check.ts'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { isMissing, isOutOfSpace } from '#adapters/fs/error-code.ts'
import { makePrivateFolder, syncFolder, writePrivateFile } from '#adapters/fs/private-file.ts'
import { isOfRepository, restoreOfRepository } from '#adapters/git-cli/restore-repository.ts'
import {
  DatabaseTaken,
  openTableTarget,
  type SchemaName,
  type TableTarget,
  unknownSteps,
} from '#adapters/sql/backup/table-target.ts'
import { damagedContents } from '#adapters/sql/migrations/0024-damaged-contents.ts'
import { readKeyText } from '#adapters/vault-aes/key-text.ts'
import {
  type BackupManifest,
  END_BYTES,
  MASTER_KEY,
  MISSING,
  type RestoreProgress,
  tarBytes,
} from '#contract/backup/backup.ts'
import { readPassphrase } from '#contract/backup/sealed-backup.ts'
import type { BlobDigest, BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readConfigFile } from '../config-file.ts'
import { holdDataFolder } from './data-folder.ts'
import { guardDataFolder, isDataFolderNamed } from './folder-rights.ts'
import { isInUse } from './in-use.ts'
import { MendableError } from './mendable-error.ts'
import { quietLog } from './quiet-log.ts'
import { syncFiles } from './sync-files.ts'

/** What a backup is opened with. */
interface OpenOptions {
  readonly file: string
  /** The file with the passphrase, for a backup that was sealed with one. */
  readonly passphraseFile?: string | undefined
  readonly cwd: string
  /** Hears how far it is, often. */
  readonly onProgress?: (progress: RestoreProgress) => void
}

export interface RestoreOptions extends OpenOptions {
  /** Instead of the one that the settings name. */
  readonly dataDir?: string | undefined
  /** The file with the master key, if the backup does not include it. */
  readonly keyFile?: string | undefined
  /** A folder with something in it is used all the same; that is moved aside. */
  readonly force: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Restored {
  readonly dataDir: string
  readonly database: 'sqlite' | 'postgresql'
  readonly createdAt: number
  readonly rows: number
  readonly blobs: number
  /** Contents that the backup lacks. */
  readonly missing: number
  /** Where that went which was in the folder. */
  readonly movedTo?: string
}

export class RestoreError extends MendableError {
  override readonly name = 'RestoreError'
}

const SMALL = 64 * 1024
const AT_ONCE = 64
/** Made by whoever made the file system, not by people. */
const OF_THE_DISK = new Set(['lost+found'])

/**
 * Puts a backup into an empty data folder (and an empty PostgreSQL database, where the settings name one). Everything
 * is checked before anything is written, and written aside before it is put in place: a restore that fails leaves
 * nothing behind.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const env = {
    ...options.env,
    ...(options.dataDir === undefined ? {} : { ALOFT_DATA_DIR: resolve(options.cwd, options.dataDir) }),
  }
  const settings = readConfigFile(options.cwd)
  const config = readConfig(env, settings)
  await guardDataFolder(config.dataDir, isDataFolderNamed(env, settings))
  const archive = await openRequested(options).catch((error: unknown) => {
    throw asRestoreError(error)
  })
  try {
    refuseNewer(archive.manifest)
    const key = await findKey(options, config, archive)
    return await fill(options, config, archive, key)
  } catch (error) {
    throw asRestoreError(error)
  } finally {
    await archive.close()
  }
}

interface Checked {
  readonly createdAt: number
  readonly database: 'sqlite' | 'postgresql'
  readonly bytes: number
  readonly rows: number
  readonly blobs: number
  /** Contents that the backup lacks. */
  readonly missing: number
}

/** Reads every byte of a backup, and throws what `restore` would of one that is damaged or cut off. */
export async function checkBackup(options: OpenOptions): Promise<Checked> {
  const archive = await openRequested(options).catch((error: unknown) => {
    throw asRestoreError(error)
  })
  await archive.close()
  const { manifest, end } = archive
  const tables = [...manifest.main.tables, ...(manifest.logs?.tables ?? [])]
  return {
    ...{ createdAt: manifest.createdAt, database: manifest.database, bytes: end.bytes + END_BYTES },
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    // Those that were lost while it was being made are counted with the end alone.
    blobs: manifest.blobs.count - (end.missing - manifest.blobs.missing),
    missing: end.missing,
  }
}

async function openRequested(options: OpenOptions): Promise<Archive> {
  const { cwd, file, passphraseFile, onProgress } = options
  const passphrase =
    passphraseFile === undefined
      ? undefined
      : readPassphrase(await readFile(resolve(cwd, passphraseFile), 'utf8'))
  return openArchive(resolve(cwd, file), passphrase, (bytes, of) =>
    onProgress?.({ step: 'check', bytes, of }),
  )
}

function asRestoreError(error: unknown): unknown {
  if (error instanceof ArchiveError) return new RestoreError(error.message)
  if (error instanceof DatabaseTaken)
    return new RestoreError(error.message, 'Create an empty database and use that one.')
  if (isMissing(error)) return new RestoreError(`${(error as NodeJS.ErrnoException).path} does not exist.`)
  if (isOutOfSpace(error)) return new RestoreError('The disk is full.', 'Free some space, then try again.')
  return error
}

function refuseNewer(manifest: BackupManifest): void {
  const unknown = [
    ...unknownSteps('main', manifest.main),
    ...(manifest.logs ? unknownSteps('logs', manifest.logs) : []),
  ]
  if (unknown.length > 0)
    throw new RestoreError(
      `The backup was created by a newer version of Aloft (${manifest.aloft}): this version does not support ${unknown.join(', ')}.`,
      'Restore it with that version, or a later one.',
    )
}

/** The key that the secrets in the backup are sealed under. */
async function findKey(options: RestoreOptions, config: Config, archive: Archive): Promise<Buffer> {
  const { manifest } = archive
  const text =
    options.keyFile !== undefined
      ? await readFile(resolve(options.cwd, options.keyFile), 'utf8')
      : (config.masterKey?.reveal() ?? (await keyIn(archive)))
  if (text === undefined)
    throw new RestoreError(
      'The backup does not include the master key, without which secrets cannot be read.',
      'Pass the file that was `master.key` in the data folder: --key <file>. Or set ALOFT_MASTER_KEY.',
    )
  const key = readKeyText(text.trim())
  if (key === undefined || keyCheckOf(key) !== manifest.keyCheck)
    throw new RestoreError('The master key is not the one that this backup was created with.')
  return key
}

async function keyIn({ manifest, entries }: Archive): Promise<string | undefined> {
  if (!manifest.hasKey) return undefined
  for await (const entry of entries())
    if (entry.name === MASTER_KEY && entry.size <= 128) return (await entry.bytes()).toString('utf8')
  return undefined
}

async function fill(
  options: RestoreOptions,
  config: Config,
  archive: Archive,
  key: Buffer,
): Promise<Restored> {
  const { dataDir } = config
  const present = await listPresent(dataDir, options.force)
  const wasThere = existsSync(dataDir)
  await makePrivateFolder(dataDir)
  const release = await holdDataFolder(config)
  const aside = join(dataDir, `.restoring-${randomBytes(4).toString('hex')}`)
  let target: TableTarget | undefined
  const undo: (() => Promise<void>)[] = []
  try {
    await mkdir(aside, { mode: 0o700 })
    const url = config.databaseUrl?.reveal()
    target = await openTableTarget({ url, file: join(aside, 'aloft.db'), logFile: join(aside, 'logs.db') })
    const folders = { folder: join(aside, 'blobs'), repositories: join(aside, 'git') }
    const counts = await copy(archive, target, folders, options.onProgress)
    options.onProgress?.({ step: 'finish' })
    if (config.masterKey === undefined)
      await writePrivateFile(join(aside, 'master.key'), `${key.toString('base64')}\n`)
    // What cannot be moved, such as the place of another disk, is told of before a database is kept.
    await (await moveAway(dataDir, present))?.back()
    await target.finish()
    target = undefined
    await syncFiles(aside)
    const moved = await moveAway(dataDir, present)
    if (moved) undo.push(moved.back)
    const names = await readdir(aside)
    await renameAll(names, aside, dataDir)
    undo.push(() => renameAll(names, dataDir, aside))
    await syncFolder(dataDir)
    await rmdir(aside)
    return {
      dataDir,
      database: url === undefined ? 'sqlite' : 'postgresql',
      createdAt: archive.manifest.createdAt,
      ...counts,
      ...(moved && { movedTo: moved.to }),
    }
  } catch (error) {
    await target?.abandon()
    for (const step of undo.toReversed()) await step()
    await rm(wasThere ? aside : dataDir, { recursive: true, force: true })
    throw error
  } finally {
    await release()
  }
}

/** What is in the folder. Throws when that must not be, or when somebody uses it. */
async function listPresent(dataDir: string, force: boolean): Promise<readonly string[]> {
  const names = await readdir(dataDir).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const present = names.filter((name) => !OF_THE_DISK.has(name) && !name.startsWith('.restoring-'))
  if (await isInUse(dataDir)) throw new RestoreError(`A server is running with ${dataDir}.`, 'Stop it first.')
  if (present.length > 0 && !force)
    throw new RestoreError(
      `${dataDir} is not empty.`,
      'Pass an empty folder with --data-dir, or add --force to move its contents aside.',
    )
  return present
}

interface Moved {
  readonly to: string
  back(): Promise<void>
}

async function moveAway(dataDir: string, present: readonly string[]): Promise<Moved | undefined> {
  if (present.length === 0) return undefined
  const to = join(dataDir, `before-restore-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`)
  await mkdir(to, { mode: 0o700 })
  await renameAll(present, dataDir, to).catch(async (error: NodeJS.ErrnoException) => {
    await rmdir(to)
    throw new RestoreError(
      `${error.path} cannot be moved aside: ${error.message}.`,
      'Unmount it if it is a disk of its own, or pass an empty folder with --data-dir.',
    )
  })
  return {
    to,
    async back() {
      await renameAll(present, to, dataDir)
      await rmdir(to)
    },
  }
}

/** All of them, or none. */
async function renameAll(names: readonly string[], from: string, to: string): Promise<void> {
  const renamed: string[] = []
  try {
    for (const name of names) {
      await rename(join(from, name), join(to, name))
      renamed.push(name)
    }
  } catch (error) {
    for (const name of renamed.toReversed()) await rename(join(to, name), join(from, name))
    throw error
  }
}

const ROWS = /^(main|logs)\/([a-z0-9_]+)\/\d+\.jsonl$/
const DAMAGED = 'damaged_contents'
const BLOB = /^blobs\/([0-9a-f]{64})$/

async function copy(
  archive: Archive,
  target: TableTarget,
  { folder, repositories }: { readonly folder: string; readonly repositories: string },
  onProgress: RestoreOptions['onProgress'],
): Promise<Pick<Restored, 'rows' | 'blobs' | 'missing'>> {
  const { main, logs } = archive.manifest
  await target.begin('main', main.migrations)
  if (logs) await target.begin('logs', logs.migrations)
  const blobs = await createFsBlobStore({ folder, clock: systemClock, log: quietLog })
  const counts = { rows: 0, blobs: 0, missing: archive.end.missing }
  let written = 0
  const wrote = (bytes: number) => {
    written += bytes
    onProgress?.({ step: 'write', bytes: written, of: archive.end.bytes })
  }
  let small: ArchiveEntry[] = []
  const lacking: string[] = []
  const known = new Set<string>()
  const putAll = async (entries: readonly ArchiveEntry[]) => {
    const stored = await Promise.all(entries.map((entry) => put(blobs, entry, wrote)))
    for (const [n, isStored] of stored.entries()) {
      counts[isStored ? 'blobs' : 'missing'] += 1
      if (!isStored) lacking.push(BLOB.exec(entries[n]?.name ?? '')?.[1] ?? '')
    }
  }
  const putSmall = async () => {
    await putAll(small)
    small = []
  }
  try {
    for await (const entry of archive.entries()) {
      const [, schema, table] = ROWS.exec(entry.name) ?? []
      if (schema !== undefined && table !== undefined) {
        const lines = (await entry.bytes()).toString('utf8').trimEnd().split('\n')
        await target.add(schema as SchemaName, table, lines)
        if (table === DAMAGED) for (const line of lines) known.add(JSON.parse(line).sha256)
        counts.rows += lines.length
        wrote(tarBytes(entry.size))
      } else if (BLOB.test(entry.name)) {
        if (entry.size > SMALL) await putAll([entry])
        else if (small.push(entry) === AT_ONCE) await putSmall()
      } else if (isOfRepository(entry.name)) {
        await restoreOfRepository(repositories, entry.name, entry.stream())
        wrote(tarBytes(entry.size))
      } else if (entry.name === MISSING)
        lacking.push(...(await entry.bytes()).toString('utf8').trimEnd().split('\n'))
      else if (entry.name !== MASTER_KEY)
        throw new ArchiveError(`The backup contains an unknown entry, ${entry.name}.`)
    }
    await putSmall()
    // Rows say that accounts have them. Whoever uploads them again heals them, and is to be asked to.
    const rows = [...new Set(lacking)]
      .filter((sha256) => !known.has(sha256))
      .map((sha256) => JSON.stringify({ sha256, found_at: archive.manifest.createdAt }))
    if (rows.length > 0 && main.migrations.includes(damagedContents.name))
      await target.add('main', DAMAGED, rows)
  } finally {
    await blobs.close()
  }
  return counts
}

/** False when the content was damaged already where the backup was made: then it is left out. */
async function put(blobs: BlobStore, entry: ArchiveEntry, wrote: (bytes: number) => void): Promise<boolean> {
  const name = BLOB.exec(entry.name)?.[1]
  if (entry.size <= SMALL) {
    const bytes = await entry.bytes()
    if (createHash('sha256').update(bytes).digest('hex') !== name) return false
    await blobs.putBytes(bytes)
    wrote(tarBytes(entry.size))
    return true
  }
  const accept = ({ sha256 }: BlobDigest) => {
    if (sha256 !== name) throw new Damaged()
  }
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of entry.stream()) {
      yield chunk
      wrote(chunk.length)
    }
    wrote(tarBytes(entry.size) - entry.size)
  }
  try {
    await blobs.put(counted(), { maxBytes: entry.size, sizeHint: entry.size, accept })
    return true
  } catch (error) {
    if (error instanceof Damaged) return false
    throw error
  }
}

class Damaged extends Error {}
