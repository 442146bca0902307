import { linkSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { link, mkdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tree } from './program-folders.ts'

/** So few are linked sooner than the thread pool could be asked. */
const AT_ONCE = 64
const TOGETHER = 16

/** Puts the files of a program's folder into an empty folder of the same file system, without copying them. */
export async function linkTree(root: string, { folders, files, links }: Tree, into: string): Promise<void> {
  if (folders.length + files.length + links.length <= AT_ONCE) {
    for (const path of folders) mkdirSync(join(into, path))
    for (const path of files) linkSync(join(root, path), join(into, path))
    for (const path of links) symlinkSync(readlinkSync(join(root, path)), join(into, path))
    return
  }
  for (const path of folders) await mkdir(join(into, path))
  for (let i = 0; i < files.length; i += TOGETHER)
    await Promise.all(files.slice(i, i + TOGETHER).map((path) => link(join(root, path), join(into, path))))
  for (const path of links) await symlink(await readlink(join(root, path)), join(into, path))
}
