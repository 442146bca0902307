import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Has all that was written to the file system of a folder outlast a power cut. Answers whether that was done: not every machine
 * has a program that can.
 */
export const syncFileSystem = (folder: string): Promise<boolean> =>
  run('sync', ['-f', '--', folder], { env: { PATH: '/usr/bin:/bin' } }).then(
    () => true,
    () => false,
  )
