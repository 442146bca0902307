import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const ENOUGH = 2 ** 30

/** Where programs may be run and there is room: some machines have it small, or for data alone. */
function isUsable(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts.findLast((line) => line.split(' ')[1] === MEMORY)?.split(' ')
    if (options?.[2] !== 'tmpfs' || options[3]?.split(',').includes('noexec')) return false
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH
  } catch {
    return false
  }
}

/**
 * Where databases of tests lie that need not outlive the machine: in memory, if possible. The embedded database waits for
 * the disk at the end of every transaction, which is half of what many tests take.
 */
export const quickFolder: string = isUsable() ? MEMORY : tmpdir()
