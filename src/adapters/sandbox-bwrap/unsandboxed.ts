import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import {
  type NotTaken,
  type Sandbox,
  SandboxError,
  type SandboxedProcess,
  type SandboxRun,
} from '#core/ports/sandbox.ts'
import { assertRun } from './check-run.ts'
import { endGroup, killWithGroup } from './process-group.ts'
import { type Ended, type Started, supervise } from './supervise.ts'

const MISSING = [
  'programs of users run as the user of the platform and can read and write whatever it can',
  'they reach every network that this machine reaches, its own loopback included',
  'their memory, CPU time, processes and disk use are not limited',
]

/** Where an outside path lies for a program that sees the machine as it is. */
function onHost(run: SandboxRun, path: string): string {
  const covering = run.binds
    .filter(({ inside }) => path === inside || path.startsWith(`${inside}/`))
    .sort((a, b) => b.inside.length - a.inside.length)[0]
  return covering ? covering.host + path.slice(covering.inside.length) : path
}

async function start(run: SandboxRun): Promise<Started> {
  const [program = '', ...args] = run.argv
  const cwd = onHost(run, run.cwd)
  const child = spawn(onHost(run, program), args, {
    cwd,
    env: { ...run.env, PWD: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'exit')
  exited.catch(() => {})
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new SandboxError('not_started', `The program could not be started: ${(cause as Error).message}`, {
      cause,
    })
  }
  const ended = async (): Promise<Ended> => {
    const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null]
    await endGroup(child.pid as number)
    return { code: signal === null ? code : 128 + constants.signals[signal], outOfMemory: false }
  }
  return { stdout: child.stdout, stderr: child.stderr, ended: ended(), kill: () => killWithGroup(child) }
}

/** For operators who chose to run without protection. Paths inside binds are found where they are on the machine. */
export function createUnsandboxed(notTaken: readonly NotTaken[] = []): Sandbox {
  const running = new Set<SandboxedProcess>()
  let closed = false
  return {
    kind: 'none',
    missing: MISSING,
    report: {
      ...{ way: 'none', network: 'machine', missing: MISSING, notTaken },
      limits: { memory: 'none', cpu: 'none', processes: 'none', systemCalls: false },
    },
    boundsFolders: false,
    spawn(run) {
      assertRun(run)
      if (closed) throw new SandboxError('closed', 'The sandbox is closed')
      const process = supervise(run, () => start(run))
      running.add(process)
      const forget = () => running.delete(process)
      process.exit.then(forget, forget)
      return process
    },
    async close() {
      closed = true
      for (const process of running) process.kill()
      await Promise.allSettled([...running].map((process) => process.exit))
    },
  }
}
