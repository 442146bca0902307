import type { Readable } from 'node:stream'

/** A file or folder of the machine that the sandbox sees. Both paths are absolute; `host` is never user input. */
export interface SandboxBind {
  readonly host: string
  readonly inside: string
  /**
   * Writable content is handed over for good: its owner may become the sandbox's own user, so no two sandboxes
   * that run at once may be given the same. Content that is only read must be readable by everybody, while the
   * folders above it need not be.
   */
  readonly writable: boolean
  /**
   * Only of an empty folder that is writable, and only with a sandbox that `boundsFolders`: what is put into it, by
   * either side, lies in memory, is at most this much, and is gone after the run. This side has it from the first sign
   * of life of the program on.
   */
  readonly maxBytes?: number
}

export interface SandboxLimits {
  /** Of all processes together, with what they keep in /tmp. */
  readonly memoryBytes: number
  /** Cores' worth of time, such as 0.5 or 2. */
  readonly cpus: number
  /** Of the CPU where it is short: 1 is as much as the platform's own processes get, and 0.25 where it is left out. */
  readonly share?: number
  /** Processes and threads at one moment. */
  readonly processes: number
  /** Infinity for what has no end of its own. */
  readonly wallMs: number
  /** The size of the private /tmp, and of /dev/shm. */
  readonly tmpBytes: number
  /** Of one file, wherever it is: writing or reserving more fails at once. Unlimited where left out. */
  readonly fileBytes?: number
  /** Of stdout and stderr together; one byte more ends the run. Unlimited where left out. */
  readonly outputBytes?: number
}

export interface SandboxRun {
  /** The program, absolute or found on PATH of `env`, and its arguments. */
  readonly argv: readonly string[]
  /** Inside the sandbox; must exist there. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly binds: readonly SandboxBind[]
  readonly limits: SandboxLimits
  /** `outbound` reaches public addresses and the configured resolvers, never this machine or private networks. */
  readonly network: 'none' | 'outbound'
  readonly signal?: AbortSignal
}

export type SandboxEndReason = 'exited' | 'timeout' | 'memory' | 'output' | 'aborted' | 'killed'

export interface SandboxExit {
  /** As a shell tells it: 128 + n where the program died of signal n. Null where the run was ended from outside. */
  readonly code: number | null
  readonly reason: SandboxEndReason
}

export interface SandboxedProcess {
  /** Must be consumed, or the program waits in its next write. */
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * Resolves when nothing of the run is left, which may be before its last output has been read. Rejects with a
   * `SandboxError` where the program could not be started at all (`not_started`), or where the kernel would not let
   * go of it (`not_ended`); a caller that does not listen loses nothing else.
   */
  readonly exit: Promise<SandboxExit>
  /**
   * Milliseconds of the processor that its processes have had so far; those of a thread that has ended no longer count.
   * Absent or undefined where nobody can tell.
   */
  processorMs?(): Promise<number | undefined>
  kill(): void
}

/** How the programs of users are isolated on this machine, for whoever tells the operator. */
export interface SandboxReport {
  /** `namespaces` are those that unshare of util-linux makes. */
  readonly way: 'bubblewrap' | 'namespaces' | 'none'
  /**
   * `fenced`: packets go out through a firewall of the kernel's. `gateway`: connections go out through the platform,
   * which needs no privileges. `refused`: there is none. `machine`: that of the machine, with nothing closed off.
   */
  readonly network: 'fenced' | 'gateway' | 'refused' | 'machine'
  /** Of whom a limit holds: a run as a whole, each of its processes, all of the user's processes, or nobody. */
  readonly limits: {
    readonly memory: 'run' | 'process' | 'none'
    readonly cpu: 'run' | 'none'
    readonly processes: 'run' | 'user' | 'none'
    readonly systemCalls: boolean
  }
  /** What this machine does not protect, in words for the operator. */
  readonly missing: readonly string[]
  /** What would have been preferred, in the order that it was tried in. */
  readonly notTaken: readonly NotTaken[]
}

export interface NotTaken {
  readonly what: SandboxReport['way'] | SandboxReport['network']
  readonly why: string
  /** The programs that are not installed, by name. */
  readonly lacking: readonly string[]
}

/**
 * Runs programs of users.
 *
 * - Whole: a limit, an abort and `kill` take every process of the run, also those that ignore signals or leave
 *   their session; so does the end of the program itself, and the death of this process. Nothing survives.
 * - Closed: the program finds the given environment and PWD, the given binds, a private /tmp and the machine's
 *   read-only programs and libraries; nothing of this process is inherited, be it environment or open files.
 * - Literal: `argv` goes to the kernel as it is and is never put through a shell.
 * - Honest: what the machine cannot protect is in `missing`, and a network it cannot fence off is refused.
 */
export interface Sandbox {
  /** With `none` nothing is closed off: only `wallMs`, `outputBytes` and the killing of ordinary children hold. */
  readonly kind: SandboxReport['way']
  readonly report: SandboxReport
  /** What this machine does not protect, in words for the operator. */
  readonly missing: readonly string[]
  /** Whether `maxBytes` of binds holds; without, a run that asks for it is refused. With `none` it is not looked at. */
  readonly boundsFolders: boolean
  /**
   * Lets runs reach the ports that these variables tell of, where only the usual ones are reached by themselves. Those
   * of a run's own `env` are seen to by `spawn`.
   */
  reach?(env: Readonly<Record<string, string>>): Promise<void>
  /** Throws a `SandboxError` where the run is not acceptable. */
  spawn(run: SandboxRun): SandboxedProcess
  /** Ends what still runs and leaves nothing behind on the machine. */
  close(): Promise<void>
}

type SandboxFault = 'bad_run' | 'no_sandbox' | 'no_outbound' | 'not_started' | 'not_ended' | 'closed'

export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly kind: SandboxFault

  constructor(kind: SandboxFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
