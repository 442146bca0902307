import { statSync } from 'node:fs'

/**
 * Whether a user of the machine may decide what this process does: root and whoever owns the program that runs may anyway, and so
 * may who asked for it to be run as root.
 */
export function isTrustedUser(uid: number): boolean {
  const own = process.getuid?.()
  if (own === undefined) return true
  // A server that runs may be older than what lies on the disk: its program may have been removed.
  const program = statSync(process.argv[1] ?? '/', { throwIfNoEntry: false })
  return [0, own, Number(process.env.SUDO_UID ?? own), program?.uid].includes(uid)
}

/** The bit of a mode by which every user of the machine may write. */
export const WRITABLE_BY_ALL = 0o002
