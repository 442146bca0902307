import { realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { RunnerError } from '#core/ports/runner.ts'

/** The Bun that is installed on this machine. */
export async function findBun(): Promise<{ readonly folder: string }> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = await realpath(join(folder, 'bun')).catch(() => undefined)
    if (found !== undefined) return { folder: join(folder, '..') }
  }
  throw new RunnerError(
    'unavailable',
    'This project runs on Bun, which is not installed on this machine. Install it, or deploy: Aloft brings its own.',
  )
}
