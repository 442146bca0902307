import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The address of a unix socket holds little more. */
const LONGEST = 100

/** Where serving processes find the working process of their machine. */
export function runnerSocket(dataDir: string): string {
  const folder = resolve(dataDir)
  const path = join(folder, 'runner.sock')
  if (path.length <= LONGEST) return path
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(tmpdir(), `aloft-${name}.sock`)
}
