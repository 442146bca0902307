// What a backup looks like: whoever makes one, downloads one or restores one has to agree on it.
import { createHash } from 'node:crypto'

export const BACKUP_FORMAT = 'aloft-backup'
/** Version 1 had no checksums of its entries. */
export const BACKUP_VERSION = 2

/** The first entry of the archive, `manifest.json`. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT
  readonly version: number
  /** The version of Aloft that made it. */
  readonly aloft: string
  readonly createdAt: number
  /** What the rows came from; they can be put into either. */
  readonly database: 'sqlite' | 'postgresql'
  readonly main: BackupRows
  /** Only when the logs were asked for. */
  readonly logs?: BackupRows
  /** As many as the database named when it was read. */
  readonly blobs: { readonly count: number; readonly bytes: number; readonly missing: number }
  /** Tells whether a master key is the one that the secrets in here are sealed under, without telling the key. */
  readonly keyCheck: string
  readonly hasKey: boolean
}

export interface BackupRows {
  /** The steps of the schema that the rows are of. */
  readonly migrations: readonly string[]
  readonly tables: readonly { readonly name: string; readonly rows: number }[]
}

/** The last entry, `end.json`: without it, the archive was cut off. */
export interface BackupEnd {
  /** Of all bytes before this entry. */
  readonly sha256: string
  readonly bytes: number
  /** Contents that could not be saved: deleted while the backup was being made, or damaged before. */
  readonly missing: number
  /** Where the entry with the checksums of all others begins, and the checksum of what it says. */
  readonly checksums?: { readonly at: number; readonly sha256: string }
}

/**
 * How far a restore is: first the whole backup is checked, then its contents are written, and last all of that is put in
 * its place.
 */
export type RestoreProgress =
  | { readonly step: 'check' | 'write'; readonly bytes: number; readonly of: number }
  | { readonly step: 'finish' }

export const MANIFEST = 'manifest.json'
export const MASTER_KEY = 'master.key'
/** The SHA-256 of each content that could not be saved, a line each; only where there are some. */
export const MISSING = 'missing.txt'
export const CHECKSUMS = 'checksums.sha256'
export const END = 'end.json'

/** A line of the entry with the checksums, as `sha256sum --check` reads it. */
export const checksumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`

const BLOCK = 512
/** The header and the text of the last entry, and the two empty blocks that end every tar. */
export const END_BYTES = 4 * BLOCK

/** What fills an entry up to whole blocks. */
export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A header of the POSIX tar format, which every `tar` reads. */
export function tarHeader(name: string, size: number, at: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  if (name.length > 100) throw new RangeError(`The name of an entry is too long: ${name}`)
  header.write(name, 0, 'ascii')
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  // Eleven octal digits end at 8 GiB; beyond, the number itself stands there, marked by its first bit.
  if (size < 8 ** 11) header.write(octal(size, 12), 124)
  else {
    header.writeBigUInt64BE(BigInt(size), 128)
    header[124] = 0x80
  }
  header.write(octal(Math.floor(at / 1000), 12), 136)
  header.fill(' ', 148, 156)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return header
}

interface TarHeader {
  readonly name: string
  readonly size: number
  /** In milliseconds, of whole seconds. */
  readonly at: number
}

/** What the header of an entry says; undefined when it is none of ours. */
export function readTarHeader(header: Buffer): TarHeader | undefined {
  if (header.length !== BLOCK || header.toString('latin1', 257, 262) !== 'ustar') return undefined
  const unsummed = Buffer.from(header).fill(' ', 148, 156)
  const sum = unsummed.reduce((total, byte) => total + byte, 0)
  if (Number.parseInt(header.toString('latin1', 148, 156), 8) !== sum || header[156] !== 0x30)
    return undefined
  const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '')
  const size =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString('latin1', 124, 136), 8)
  const at = Number.parseInt(header.toString('latin1', 136, 148), 8) * 1000
  return Number.isSafeInteger(size) && size >= 0 ? { name, size, at } : undefined
}

/** How much of an archive an entry takes, with its header and what fills its last block. */
export const tarBytes = (size: number): number => BLOCK + size + padding(size)

/** An entry that is in memory, whole blocks of it. */
export function tarEntry(name: string, content: Buffer, at: number): Buffer {
  return Buffer.concat([tarHeader(name, content.length, at), content, Buffer.alloc(padding(content.length))])
}

/** What ends the archive; always of the same length. */
export function backupEnd(end: BackupEnd, at: number): Buffer {
  const check = createHash('sha256').update(JSON.stringify(end)).digest('hex')
  const text = Buffer.from(`${JSON.stringify({ ...end, check })}\n`)
  return Buffer.concat([tarEntry(END, text, at), Buffer.alloc(2 * BLOCK)])
}

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function isEnd({ sha256, bytes, missing, checksums }: BackupEnd): boolean {
  if (typeof sha256 !== 'string' || !isCount(bytes) || !isCount(missing)) return false
  return (
    checksums === undefined ||
    (isCount(checksums?.at) && checksums.at <= bytes && typeof checksums.sha256 === 'string')
  )
}

/** What the last `END_BYTES` of an archive say; undefined when they are no end. */
export function readBackupEnd(bytes: Buffer): BackupEnd | undefined {
  const header = readTarHeader(bytes.subarray(0, BLOCK))
  if (bytes.length !== END_BYTES || header?.name !== END || header.size > BLOCK) return undefined
  try {
    const { check, ...end } = JSON.parse(bytes.toString('utf8', BLOCK, BLOCK + header.size)) as BackupEnd & {
      readonly check?: string
    }
    if (!isEnd(end)) return undefined
    // Those of version 1 have no checksum of themselves.
    if (check === undefined && end.checksums === undefined) return end
    return backupEnd(end, header.at).equals(bytes) ? end : undefined
  } catch {
    return undefined
  }
}
