import { type ChildProcess, type IOType, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { SandboxError, type SandboxRun } from '#core/ports/sandbox.ts'
import { bwrapArgs, FD } from './arguments/bwrap-args.ts'
import { runView } from './arguments/run-view.ts'
import { need, stagedBinds, startArgv } from './arguments/start-argv.ts'
import type { SystemView } from './arguments/system-view.ts'
import { unshareArgv, unshareTexts } from './arguments/unshare-args.ts'
import type { Cgroup } from './cgroup/cgroup.ts'
import { killWithGroup } from './process-group.ts'
import { processorMs } from './processor-time.ts'
import type { Ended, Started } from './supervise.ts'
import { TOOL_ENV, type Tools } from './tools.ts'

const SHOWN_OF_STDERR = 2048
/** How the programs begin their complaints that run last before the user's, and the codes they then end with. */
const COMPLAINT = /^(?:bwrap|setpriv): /
const COMPLAINT_CODES = [1, 126, 127]
const VANISHES_WITHIN_MS = 10_000

interface BwrapRun {
  readonly way: 'bubblewrap' | 'namespaces'
  readonly run: SandboxRun
  readonly tools: Tools
  readonly view: SystemView
  readonly filtered: boolean
  readonly cgroup: Cgroup | undefined
  readonly enter: readonly string[] | undefined
  readonly uid: number | undefined
  readonly ambient: boolean
  readonly rlimits: readonly string[]
  /** See `inheritedFiles`. */
  readonly inherited: readonly number[]
  readonly userns: boolean
  /** See `Abilities`. */
  readonly stages: boolean
}

/** The first process of the pid namespace is the last to go, after all others in it; nothing tells of that either. */
async function vanished(pid: number): Promise<void> {
  const deadline = performance.now() + VANISHES_WITHIN_MS
  for (let pause = 1; performance.now() < deadline; pause = Math.min(pause * 2, 50)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    if (stat === undefined || /\) Z /.test(stat)) return
    await setTimeout(pause)
  }
  throw new SandboxError('not_ended', `Process ${pid} does not end`)
}

/** The start of what it writes to stderr, and a promise of the first of it or of there being none. */
function opening(stderr: Readable): { text(): string; first: Promise<unknown> } {
  let text = ''
  const note = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.length >= SHOWN_OF_STDERR) stderr.off('data', note)
  }
  stderr.on('data', note)
  const first = new Promise<void>((resolve) => {
    for (const event of ['data', 'end', 'close', 'error']) stderr.once(event, () => resolve())
  })
  return { text: () => text.slice(0, SHOWN_OF_STDERR).trim(), first }
}

function launch(what: BwrapRun): ChildProcess {
  const { run, view, filtered, cgroup, uid, userns, stages } = what
  const { binds } = run
  const { stage } = view
  const seen = stagedBinds({ uid, stage, binds })
  const { maker, argv, texts } =
    what.way === 'bubblewrap'
      ? {
          maker: [need(what.tools, 'bwrap'), '--args', String(FD.args), '--'],
          argv: run.argv,
          texts: bwrapArgs(run, seen, { view, filtered, userns, stages }).join('\0'),
        }
      : {
          maker: unshareArgv(what.tools, run, view),
          argv: [],
          texts: `${unshareTexts(run, seen, what).join('\0')}\0`,
        }
  const [program = '', ...args] = startArgv({
    ...what,
    ...{ stage, binds, maker, argv },
    staged: stages ? runView(run, seen, view) : undefined,
    joinFiles: cgroup?.joinFiles ?? [],
  })
  // A descriptor of its own for each run, as they share their position.
  const filter = openSync(view.seccomp, 'r')
  const nothing = openSync('/dev/null', 'r')
  try {
    const stdio: (IOType | number)[] = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', filtered ? filter : nothing]
    // Node cannot close these in the child, but it can put something else in their place.
    for (const fd of what.inherited) {
      while (stdio.length < fd) stdio.push('ignore')
      stdio.push(nothing)
    }
    const child = spawn(program, args, {
      cwd: '/',
      env: TOOL_ENV,
      stdio,
      detached: true,
    })
    const options = child.stdio[FD.args] as Writable
    options.on('error', () => {})
    options.end(texts)
    return child
  } finally {
    closeSync(filter)
    closeSync(nothing)
  }
}

/**
 * The process of a run that stands for what it sees; undefined where it ended before. Of bubblewrap's own first process
 * the kernel shows nobody anything; its only child is the program.
 */
async function insiderOf(what: BwrapRun, first: () => string | undefined, ended: AbortSignal) {
  for (let pause = 1; !ended.aborted; pause = Math.min(pause * 2, 20)) {
    const pid = first()
    if (pid !== undefined && what.way === 'namespaces') return Number(pid)
    const child = pid && (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim()
    if (child) return Number(child.split(' ')[0])
    await setTimeout(pause)
  }
  return undefined
}

/** One run, from its first helper program to the last trace of it. */
export async function startBwrap(
  what: BwrapRun,
): Promise<Started & { insider(): Promise<number | undefined> }> {
  const { cgroup } = what
  const child = launch(what)
  const exited = once(child, 'exit')
  exited.catch(() => {})
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new SandboxError('not_started', `The sandbox could not be started: ${(cause as Error).message}`, {
      cause,
    })
  }
  const stdout = child.stdout as Readable
  const stderr = child.stderr as Readable
  let status = ''
  const statusStream = child.stdio[FD.status] as Readable
  statusStream.on('data', (chunk: Buffer) => {
    status += chunk.toString('latin1')
  })
  const told = new Promise((resolve) => statusStream.once('close', resolve))
  const complaint = opening(stderr)

  const over = new AbortController()
  const firstOf = () => /"child-pid": (\d+)/.exec(status)?.[1]
  const ended = async (): Promise<Ended> => {
    const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null]
    const outOfMemory = (await cgroup?.outOfMemory()) ?? false
    over.abort()
    const first = firstOf()
    if (cgroup) await cgroup.remove()
    else if (first !== undefined) await vanished(Number(first))
    await told
    if (signal !== null) return { code: null, outOfMemory }
    const reported = /"exit-code": (\d+)/.exec(status)?.[1]
    const failed = reported === undefined || COMPLAINT_CODES.includes(Number(reported))
    if (failed) await complaint.first
    if (reported === undefined || (failed && COMPLAINT.test(complaint.text())))
      throw new SandboxError(
        'not_started',
        `The program could not be started in the sandbox: ${complaint.text() || `exit code ${code}`}`,
      )
    return { code: Number(reported), outOfMemory }
  }
  // What its group does not take with it is ended by its cgroup and its pid namespace.
  return {
    ...{ stdout, stderr, ended: ended(), kill: () => killWithGroup(child) },
    processorMs: cgroup && (async () => processorMs(await cgroup.members())),
    insider: () => insiderOf(what, firstOf, over.signal),
  }
}
