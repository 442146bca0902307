import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupEnd,
  type BackupManifest,
  type BackupRows,
  END,
  END_BYTES,
  isCount,
  MANIFEST,
  padding,
  readBackupEnd,
  readTarHeader,
} from '#contract/backup/backup.ts'
import { isSealedBackup, openSealedBackup, type ReadAt, SealError } from '#contract/backup/sealed-backup.ts'
import { findDamage } from './find-damage.ts'

/** Why an archive cannot be used; for the person who wants to. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  /** The whole content, for entries that fit in memory. */
  bytes(): Promise<Buffer>
  stream(): AsyncIterable<Buffer>
}

export interface Archive {
  readonly manifest: BackupManifest
  readonly end: BackupEnd
  /** All but the manifest, the checksums and the end, in the order in which they were written. */
  entries(): AsyncGenerator<ArchiveEntry>
  close(): Promise<void>
}

const BLOCK = 512
const STEP = 1 << 20
/** Far more than a manifest has; a bound for files that only look like one. */
const LARGEST_MANIFEST = 16 << 20

/** The bytes of an archive, as they were before anybody sealed them. */
interface Bytes {
  readonly size: number
  readonly readAt: ReadAt
}

/**
 * Opens an archive and checks all of it, so that whoever reads it afterwards can rely on every byte. One that is sealed
 * is opened where it lies: nothing of it is ever on the disk in the clear. `onChecked` hears how far the check is.
 */
export async function openArchive(
  file: string,
  passphrase?: string,
  onChecked: (bytes: number, of: number) => void = () => {},
): Promise<Archive> {
  const handle = await open(file, 'r')
  try {
    const bytes = await unseal(handle, passphrase)
    const end = await verify(bytes, onChecked)
    const { value: first } = await entriesOf(bytes, 0, end.bytes).next()
    if (first?.name !== MANIFEST || first.size > LARGEST_MANIFEST) throw notOurs()
    const manifest = readManifest((await first.bytes()).toString('utf8'))
    const start = BLOCK + first.size + padding(first.size)
    return {
      manifest,
      end,
      entries: () => entriesOf(bytes, start, end.checksums?.at ?? end.bytes),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error instanceof SealError ? new ArchiveError(error.message) : error
  }
}

async function unseal(handle: FileHandle, passphrase: string | undefined): Promise<Bytes> {
  const { size } = await handle.stat()
  const readAt: ReadAt = (position, length) => readFrom(handle, position, length)
  if (!isSealedBackup(await readAt(0, Math.min(BLOCK, size)))) return { size, readAt }
  if (passphrase === undefined)
    throw new ArchiveError(
      'The backup is sealed with a passphrase. Pass the file that holds it: --passphrase-file <file>.',
    )
  return openSealedBackup(readAt, size, passphrase)
}

const notOurs = () => new ArchiveError('This is no backup of Aloft.')

/** Its last entry says how long the rest is and what it hashes to. Damage is looked for only where there is some. */
async function verify(bytes: Bytes, onChecked: (bytes: number, of: number) => void): Promise<BackupEnd> {
  const end = await readEnd(bytes)
  const hash = createHash('sha256')
  let checked = 0
  try {
    for await (const chunk of range(bytes.readAt, 0, end.bytes)) {
      hash.update(chunk)
      checked += chunk.length
      onChecked(checked, end.bytes)
    }
  } catch (error) {
    // Of a backup that is sealed, what is damaged cannot be read at all.
    if (!(error instanceof SealError)) throw error
    throw await damaged(bytes, end)
  }
  if (hash.digest('hex') !== end.sha256) throw await damaged(bytes, end)
  return end
}

async function readEnd({ size, readAt }: Bytes): Promise<BackupEnd> {
  const last = await readAt(Math.max(0, size - END_BYTES), Math.min(size, END_BYTES)).catch(unlessSealed)
  const end = last && readBackupEnd(last)
  if (end?.bytes === size - END_BYTES) return end
  const first = await readAt(0, Math.min(BLOCK, size)).catch(unlessSealed)
  if (first && readTarHeader(first)?.name !== MANIFEST) throw notOurs()
  // Every tar ends like this; one that was cut off does not.
  const isWhole = last === undefined || (size % BLOCK === 0 && !last.subarray(-2 * BLOCK).some(Boolean))
  throw isWhole
    ? damagedIn([END])
    : new ArchiveError(`The backup is incomplete: its end is missing. Download it again.`)
}

/** Nothing, where a piece of a sealed backup is damaged. */
function unlessSealed(error: unknown): undefined {
  if (!(error instanceof SealError)) throw error
}

async function damaged({ readAt }: Bytes, { bytes, checksums }: BackupEnd): Promise<ArchiveError> {
  if (checksums === undefined)
    return new ArchiveError('The backup is damaged: its checksum does not match. Use another copy.')
  return damagedIn(await findDamage(readAt, bytes, checksums))
}

/** Names of entries that are listed in full. */
const MOST_NAMED = 5

function damagedIn(names: readonly string[]): ArchiveError {
  const more = names.length - MOST_NAMED
  const listed = [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])]
  const subject =
    listed.length > 1 ? `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)} do` : `${listed[0]} does`
  return new ArchiveError(`The backup is damaged: ${subject} not match the checksum. Use another copy.`)
}

function readManifest(text: string): BackupManifest {
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(text)
  } catch {
    throw notOurs()
  }
  if (manifest?.format !== BACKUP_FORMAT || !isVersion(manifest)) throw notOurs()
  if (manifest.version > BACKUP_VERSION)
    throw new ArchiveError(
      `The backup was made by a newer version of Aloft (${manifest.aloft}). Restore it with that version.`,
    )
  if (!isManifest(manifest)) throw notOurs()
  return manifest
}

/** The last moment that a date can be of. */
const LATEST = 8.64e15
const LONGEST_VERSION = 100

const isVersion = ({ version, aloft }: BackupManifest): boolean =>
  isCount(version) && typeof aloft === 'string' && aloft.length <= LONGEST_VERSION

/** Whoever wrote it may have written anything, with a checksum that matches. */
function isManifest({ createdAt, database, main, logs, blobs, keyCheck }: BackupManifest): boolean {
  const counts = blobs as Partial<BackupManifest['blobs']> | null | undefined
  return (
    [createdAt, counts?.count, counts?.bytes, counts?.missing].every(isCount) &&
    createdAt <= LATEST &&
    (database === 'sqlite' || database === 'postgresql') &&
    typeof keyCheck === 'string' &&
    isRows(main) &&
    (logs === undefined || isRows(logs))
  )
}

const isRows = (rows: unknown): rows is BackupRows => {
  const { migrations, tables } = (rows ?? {}) as Partial<BackupRows>
  return (
    Array.isArray(tables) &&
    tables.every((table) => typeof table?.name === 'string' && isCount(table.rows)) &&
    Array.isArray(migrations) &&
    migrations.every((step) => typeof step === 'string')
  )
}

async function* entriesOf({ readAt }: Bytes, start: number, end: number): AsyncGenerator<ArchiveEntry> {
  for (let position = start; position < end; ) {
    const header = readTarHeader(await readAt(position, BLOCK))
    if (header === undefined || position + BLOCK + header.size > end)
      throw new ArchiveError(`The backup is damaged: there is no entry at byte ${position}.`)
    if (header.name === END) return
    const { name, size } = header
    const from = position + BLOCK
    yield {
      name,
      size,
      bytes: () => readAt(from, size),
      stream: () => range(readAt, from, from + size),
    }
    position = from + size + padding(size)
  }
}

async function* range(readAt: ReadAt, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; position += STEP)
    yield await readAt(position, Math.min(STEP, end - position))
}

async function readFrom(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let got = 0
  while (got < length) {
    const { bytesRead } = await handle.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) throw new ArchiveError('The backup is incomplete: it ends too early.')
    got += bytesRead
  }
  return bytes
}
