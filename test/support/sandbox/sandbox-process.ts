import { openSandbox, type SandboxOptions } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { SandboxError, SandboxRun } from '#core/ports/sandbox.ts'
import { createRecordingLog } from '../recording-log.ts'

// A platform of its own: opens a sandbox as told, starts the runs it is given, and tells what came of it by messages.
interface Order {
  readonly mode: 'required' | 'auto'
  readonly runs: readonly SandboxRun[]
  readonly options?: Pick<SandboxOptions, 'userNamespaces' | 'without'>
}

const { mode, runs, options } = JSON.parse(process.argv[2] ?? '') as Order
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
const log = createRecordingLog()
try {
  const sandbox = await openSandbox({ mode, log, ...options })
  say({ kind: sandbox.kind, missing: sandbox.missing, report: sandbox.report })
  for (const run of runs)
    try {
      const started = sandbox.spawn(run)
      started.stdout.resume()
      started.stderr.resume()
      say(await started.exit)
    } catch (error) {
      say({ fault: (error as SandboxError).kind })
    }
  for (const { level, message } of log.entries) if (level === 'warn') say({ warned: message })
  await sandbox.close()
} catch (error) {
  say({ fault: (error as SandboxError).kind, message: (error as Error).message })
}
