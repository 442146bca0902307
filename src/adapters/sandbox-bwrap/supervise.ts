import { type Readable, Transform } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'
import type { SandboxEndReason, SandboxExit, SandboxedProcess, SandboxRun } from '#core/ports/sandbox.ts'

export interface Ended {
  /** Null where it was ended by a signal from outside. */
  readonly code: number | null
  readonly outOfMemory: boolean
}

export interface Started {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when nothing is left of it. */
  readonly ended: Promise<Ended>
  /** As a `SandboxedProcess` tells it. */
  readonly processorMs?: (() => Promise<number | undefined>) | undefined
  kill(): void
}

/** Passes output on up to a number of bytes that both streams share. */
function limitedOutput(bytes: number, over: () => void): { stdout: Transform; stderr: Transform } {
  let left = bytes
  const stream = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const passed = chunk.subarray(0, Math.max(0, left))
        left -= chunk.length
        if (left < 0) over()
        done(null, passed.length > 0 ? passed : undefined)
      },
    })
  return { stdout: stream(), stderr: stream() }
}

/** Holds what `start` starts to the run's time and output, to its signal and to `kill`. */
export function supervise(run: SandboxRun, start: () => Promise<Started>): SandboxedProcess {
  let reason: SandboxEndReason | undefined
  let started: Started | undefined
  const end = (why: SandboxEndReason) => {
    reason ??= why
    started?.kill()
  }
  const { stdout, stderr } = limitedOutput(run.limits.outputBytes ?? Number.POSITIVE_INFINITY, () =>
    end('output'),
  )
  const abort = () => end('aborted')
  if (run.signal?.aborted) abort()
  run.signal?.addEventListener('abort', abort)
  const { wallMs } = run.limits
  const timer = Number.isFinite(wallMs) ? setTimeout(() => end('timeout'), wallMs) : undefined

  const outcome = ({ code, outOfMemory }: Ended): SandboxExit => {
    if (reason !== undefined) return { code: null, reason }
    if (outOfMemory && code !== 0) return { code, reason: 'memory' }
    return code === null ? { code, reason: 'killed' } : { code, reason: 'exited' }
  }
  const live = async (): Promise<SandboxExit> => {
    try {
      if (reason !== undefined) return outcome({ code: null, outOfMemory: false })
      started = await start()
      started.stdout.pipe(stdout)
      started.stderr.pipe(stderr)
      if (reason !== undefined) started.kill()
      return outcome(await started.ended)
    } finally {
      clearTimeout(timer)
      run.signal?.removeEventListener('abort', abort)
      if (started === undefined) {
        stdout.end()
        stderr.end()
      }
    }
  }
  const exit = live()
  exit.catch(() => {})
  return {
    ...{ stdout, stderr, exit },
    processorMs: async () => started?.processorMs?.(),
    kill: () => end('killed'),
  }
}
