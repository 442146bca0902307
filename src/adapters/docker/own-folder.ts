import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownProcess, processRuns } from './labels.ts'

/**
 * A folder of this process alone, in one that the processes of an installation share. An earlier process may still be
 * stopping: what is its own stays until it is gone. A shared folder of another user is not used.
 */
export async function ownFolderIn(shared: string): Promise<string> {
  await mkdir(shared, { recursive: true, mode: 0o700 })
  const folder = await lstat(shared)
  if (!folder.isDirectory() || folder.uid !== process.getuid?.())
    throw new Error(`${shared} must belong to the platform alone`)
  await chmod(shared, 0o700)
  for (const name of await readdir(shared))
    if (!processRuns(name)) await rm(join(shared, name), { recursive: true, force: true })
  const own = join(shared, ownProcess())
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { mode: 0o700 })
  return own
}
