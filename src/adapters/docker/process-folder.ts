import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOwnFolder } from '../fs/own-folder.ts'
import { ownProcess, processRuns } from './labels.ts'

/**
 * A folder of this process alone, in one that the processes of an installation share. An earlier process may still be
 * stopping: what is its own stays until it is gone. A shared folder of another user is not used.
 */
export async function processFolderIn(shared: string): Promise<string> {
  await makeOwnFolder(shared)
  for (const name of await readdir(shared))
    if (!processRuns(name)) await rm(join(shared, name), { recursive: true, force: true })
  const own = join(shared, ownProcess())
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { mode: 0o700 })
  return own
}
