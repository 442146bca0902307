import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isMissing } from '../fs/error-code.ts'
import { writePrivateFileOnce } from '../fs/private-file.ts'
import { KEY_BYTES, readKeyText } from './key-text.ts'

interface MasterKeySource {
  /** Where the key lives when none is configured. */
  readonly file: string
  /** Base64 of exactly 32 bytes; goes before the file. */
  readonly configured?: string | undefined
  /** Whether something is already sealed under a key: then a new one would be of no use, and hide that the old one is gone. */
  readonly isNeeded?: boolean
}

/** The message names the file and what to do, never the key. */
export class MasterKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MasterKeyError'
  }
}

/**
 * The key everything secret is sealed under. Made once where there is none: processes that start at the
 * same moment all get the same key, and what was returned is on disk.
 */
export async function loadMasterKey({
  file,
  configured,
  isNeeded = false,
}: MasterKeySource): Promise<Buffer> {
  if (configured !== undefined) {
    const key = readKeyText(configured)
    if (key === undefined)
      throw new MasterKeyError('The configured master key is not base64 of exactly 32 bytes')
    return key
  }
  const path = resolve(file)
  const present = await readKeyFile(path)
  if (present !== undefined) return present
  if (isNeeded)
    throw new MasterKeyError(
      `The master key ${path} is missing, and secrets of this installation cannot be read without it: put the file back, or set ALOFT_MASTER_KEY if that was set before`,
    )
  await writePrivateFileOnce(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  const made = await readKeyFile(path)
  if (made === undefined) throw new MasterKeyError(`The master key ${path} vanished while it was being made`)
  return made
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const handle = await openIfPresent(path)
  if (handle === undefined) return undefined
  try {
    const { mode, size } = await handle.stat()
    const rights = mode & 0o777
    // Windows reports no such rights.
    if (process.platform !== 'win32' && (rights & 0o077) !== 0)
      throw new MasterKeyError(
        `The master key ${path} is open to other users (mode ${rights.toString(8).padStart(4, '0')}): ` +
          `run "chmod 600 ${path}"; if others could read it, treat what it protects as known to them`,
      )
    const key = size <= 2 * KEY_BYTES ? readKeyText((await handle.readFile('utf8')).trim()) : undefined
    if (key === undefined)
      throw new MasterKeyError(`The master key ${path} does not hold base64 of exactly 32 bytes`)
    return key
  } finally {
    await handle.close()
  }
}

async function openIfPresent(path: string) {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
