import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { SandboxError, SandboxRun } from '#core/ports/sandbox.ts'
import { silentLog } from './silent-log.ts'

// A platform of its own: opens a sandbox as told, starts the runs it is given, and tells what came of it by messages.
interface Order {
  readonly mode: 'required' | 'auto'
  readonly runs: readonly SandboxRun[]
}

const { mode, runs } = JSON.parse(process.argv[2] ?? '') as Order
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
try {
  const sandbox = await openSandbox({ mode, log: silentLog })
  say({ kind: sandbox.kind, missing: sandbox.missing })
  for (const run of runs)
    try {
      const started = sandbox.spawn(run)
      started.stdout.resume()
      started.stderr.resume()
      say(await started.exit)
    } catch (error) {
      say({ fault: (error as SandboxError).kind })
    }
  await sandbox.close()
} catch (error) {
  say({ fault: (error as SandboxError).kind, message: (error as Error).message })
}
