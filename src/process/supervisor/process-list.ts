import { readFile } from 'node:fs/promises'
import { SECOND } from '#contract/time.ts'
import type { ProcessFacts, SandboxFacts } from '#core/operator/status.ts'
import { type Channel, kindOf } from './channel.ts'

const ASK = 'processes.ask'
const ANSWER = 'processes.answer'
const TELL = 'processes.tell'

/** A supervisor that does not answer in this time is not waited for. */
const PATIENCE = SECOND

type RunningProcess = Omit<ProcessFacts, 'memory'>

interface Listed {
  readonly processes: readonly RunningProcess[]
  readonly sandbox: SandboxFacts
}

const UNKNOWN: SandboxFacts = { kind: null, missing: [], inForce: [], advice: null }

/** The supervisor's part: knows every process it keeps, and what they told of themselves. */
export function serveProcessList(
  list: () => readonly RunningProcess[],
  /** The working process has told, for the first time or after a new start. */
  onSandbox: (sandbox: SandboxFacts) => void,
): { attach(channel: Channel): void } {
  let sandbox = UNKNOWN
  return {
    attach(channel) {
      channel.onMessage((message) => {
        if (kindOf(message) === TELL) {
          sandbox = (message as { sandbox: SandboxFacts }).sandbox
          onSandbox(sandbox)
        }
        if (kindOf(message) !== ASK) return
        const { id } = message as { id: number }
        channel.send({ kind: ANSWER, id, listed: { processes: list(), sandbox } satisfies Listed })
      })
    },
  }
}

/** Said by the process that runs the code of users. */
export const tellSandbox = (channel: Channel | undefined, sandbox: SandboxFacts): void =>
  channel?.send({ kind: TELL, sandbox })

/** Asks for the processes of this machine; without a supervisor there is this one. */
export function createProcessList(channel: Channel | undefined): () => Promise<{
  readonly processes: readonly ProcessFacts[]
  readonly sandbox: SandboxFacts
}> {
  const waiting = new Map<number, (listed: Listed) => void>()
  let asked = 0
  channel?.onMessage((message) => {
    if (kindOf(message) !== ANSWER) return
    const { id, listed } = message as { id: number; listed: Listed }
    waiting.get(id)?.(listed)
    waiting.delete(id)
  })
  const alone: Listed = {
    processes: [
      { name: 'serve-1', role: 'serve', pid: process.pid, startedAt: startOfThis(), restarts: 0, hangs: 0 },
    ],
    sandbox: UNKNOWN,
  }

  async function ask(): Promise<Listed> {
    if (!channel) return alone
    const id = asked++
    const { promise, resolve } = Promise.withResolvers<Listed>()
    waiting.set(id, resolve)
    const timer = setTimeout(() => {
      waiting.delete(id)
      resolve(alone)
    }, PATIENCE)
    channel.send({ kind: ASK, id })
    return promise.finally(() => clearTimeout(timer))
  }

  return async () => {
    const { processes, sandbox } = await ask()
    const withMemory = processes.map(async (one) => ({ ...one, memory: await memoryOf(one.pid) }))
    return { processes: await Promise.all(withMemory), sandbox }
  }
}

export const startOfThis = (): number => Math.round(Date.now() - process.uptime() * SECOND)

/** Where the kernel tells. */
async function memoryOf(pid: number): Promise<number | null> {
  if (pid === process.pid) return process.memoryUsage.rss()
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]
  return kib === undefined ? null : Number(kib) * 1024
}
