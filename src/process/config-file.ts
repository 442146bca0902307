import { closeSync, existsSync, fchmodSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '#core/is-record.ts'
import { ConfigError } from '../config/config.ts'
import { isTrustedUser, WRITABLE_BY_ALL } from './machine/trusted-user.ts'

/**
 * The settings that this folder's `aloft.config.json` names; none where there is no such file. One that others can write is refused:
 * it may name a database of theirs, and the platform is told to work in folders such as /tmp as well.
 */
export function readConfigFile(folder: string, chmod = fchmodSync): Record<string, unknown> {
  const file = join(folder, 'aloft.config.json')
  if (!existsSync(file)) return {}
  const value = parse(read(file, chmod))
  if (isRecord(value)) return value
  throw new ConfigError(['aloft.config.json: it should contain one JSON object'])
}

function read(file: string, chmod: typeof fchmodSync): string {
  let opened: number | undefined
  try {
    opened = openSync(file, 'r')
    const isForeign = [lstatSync(file), fstatSync(opened)].some(({ uid }) => !isTrustedUser(uid))
    if (isForeign || (isOpen(opened) && !isWithoutRights(opened, chmod)))
      throw new Error(
        `others can write it; \`chown\` it to the user who runs Aloft, and \`chmod o-w\` it: ${file}`,
      )
    return readFileSync(opened, 'utf8')
  } catch (error) {
    throw new ConfigError([`aloft.config.json: ${(error as Error).message}`])
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

const isOpen = (file: number): boolean => (fstatSync(file).mode & WRITABLE_BY_ALL) !== 0

/** Whether it is this user's own on a file system that keeps no rights, such as those of Windows, and lets nobody say otherwise. */
function isWithoutRights(opened: number, chmod: typeof fchmodSync): boolean {
  const { uid, mode } = fstatSync(opened)
  if (uid !== process.getuid?.()) return false
  try {
    chmod(opened, mode & 0o7777 & ~WRITABLE_BY_ALL)
    if (isOpen(opened)) return true
    chmod(opened, mode & 0o7777)
    return false
  } catch {
    return false
  }
}

function parse(text: string): unknown {
  try {
    // Some editors begin a file with a mark that says how it is encoded.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The engine quotes what is around the mistake, which may be a key.
    const [reason = ''] = (error as Error).message.split(/, (?:\.\.\.)?"/)
    throw new ConfigError([`aloft.config.json: it is not valid JSON: ${reason.replace(/\p{Cc}/gu, ' ')}`])
  }
}
