import { chmod, lstat, stat } from 'node:fs/promises'
import { ConfigError } from '../../config/config.ts'
import { isTrustedUser, WRITABLE_BY_ALL } from '../machine/trusted-user.ts'

const STICKY = 0o1000

/** Whether the settings name the data folder. Otherwise it is whatever is called `.aloft` where somebody happens to be. */
export const isDataFolderNamed = (
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>>,
): boolean => Boolean(env.ALOFT_DATA_DIR ?? file.dataDir ?? file.ALOFT_DATA_DIR)

/**
 * Takes from all users of the machine the right to write to a data folder of this user's own, and throws where one that nobody has
 * named is another user's or stays open: in /tmp, anyone can leave a `.aloft` with an account in it. One that is named belongs to
 * whoever made the volume, and is open to all where Kubernetes made it (emptyDir). Answers what an operator should know.
 */
export async function guardDataFolder(dataDir: string, isNamed: boolean): Promise<string | undefined> {
  const found = await stat(dataDir).catch(() => undefined)
  // Windows has no such users and rights.
  if (found === undefined || process.getuid === undefined) return undefined
  const owner = [await lstat(dataDir), found].find(({ uid }) => !isTrustedUser(uid))?.uid
  if (owner !== undefined && !isNamed)
    throw refused(dataDir, `belongs to another user of this machine (uid ${owner})`)
  if (!isOpen(found)) return undefined
  if (isTrustedUser(found.uid) && (found.mode & STICKY) === 0)
    await chmod(dataDir, found.mode & 0o7777 & ~WRITABLE_BY_ALL).catch(() => {})
  if (!isOpen(await stat(dataDir)))
    return 'every user of this machine could write to the data folder; they no longer can'
  // Some file systems, such as those of Windows, let nobody say otherwise.
  if (!isNamed && found.uid !== process.getuid())
    throw refused(dataDir, 'can be written by every user of this machine')
  return 'every user of this machine can write to the data folder'
}

const isOpen = ({ mode }: { readonly mode: number }): boolean => (mode & WRITABLE_BY_ALL) !== 0

const refused = (dataDir: string, why: string) =>
  new ConfigError([
    `ALOFT_DATA_DIR: ${dataDir} ${why}; work in a folder of your own, or set ALOFT_DATA_DIR to this one if you trust whoever wrote to it`,
  ])
