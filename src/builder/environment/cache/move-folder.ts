import { lstat, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainPath } from '../source-files.ts'

/**
 * Folders are moved in and out of a place that code of users had to itself, after all of it has ended. A rename does
 * not follow the last part of a path, but it does follow those before, so each of them is looked at first.
 */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

/** Whether every part of a path below `base`, which is ours, is a folder and no link to one. */
async function isFolderAllAlong(base: string, path: string): Promise<boolean> {
  let at = base
  for (const part of path.split('/')) {
    at = join(at, part)
    if (!(await isFolder(at))) return false
  }
  return true
}

/** Moves a folder out from below `base`; false where there is none, or none that can be moved. */
export async function takeOut(base: string, path: string, target: string): Promise<boolean> {
  if (!isPlainPath(path) || !(await isFolderAllAlong(base, path))) return false
  return rename(join(base, path), target).then(
    () => true,
    () => false,
  )
}

/** Moves a folder in below `base`, making those above it; false where something is there already. */
export async function putIn(from: string, base: string, path: string): Promise<boolean> {
  if (!isPlainPath(path) || !(await isFolder(from))) return false
  const above = path.split('/').slice(0, -1)
  let at = base
  for (const part of above) {
    at = join(at, part)
    await mkdir(at, { mode: 0o755 }).catch(() => {})
    if (!(await isFolder(at))) return false
  }
  const target = join(base, path)
  const taken = await lstat(target).then(
    () => true,
    () => false,
  )
  if (taken) return false
  return rename(from, target).then(
    () => true,
    () => false,
  )
}
