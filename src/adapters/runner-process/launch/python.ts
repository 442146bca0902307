import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunnerError } from '#core/ports/runner.ts'
import type { SandboxBind } from '#core/ports/sandbox.ts'

/** Every sandbox sees what lies below /usr. */
const USUAL = ['/usr/bin/python3', '/usr/local/bin/python3']

const runs = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** The machine's Python, and what a sandbox has to see of the machine besides for it. */
export async function findPython(): Promise<{ python: string; binds: readonly SandboxBind[] }> {
  for (const python of USUAL) {
    if (!(await runs(python))) continue
    const real = await realpath(python)
    if (real.startsWith('/usr/')) return { python, binds: [] }
    const prefix = dirname(dirname(real))
    if (prefix !== '/') return { python: real, binds: [{ host: prefix, inside: prefix, writable: false }] }
  }
  throw new RunnerError('unavailable', 'Python 3 is not installed on this machine')
}
