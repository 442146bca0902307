import { readFile } from 'node:fs/promises'
import { answerTo, createAsk, type Topic } from '#adapters/ipc/ask.ts'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { SECOND } from '#contract/time.ts'
import type { ProcessFacts, SandboxFacts } from '#core/operator/status.ts'

const TELL = 'processes.tell'

type RunningProcess = Omit<ProcessFacts, 'memory'>

interface ProcessReport {
  readonly processes: readonly RunningProcess[]
  readonly sandbox: SandboxFacts
  /** Whether code is built and run on this machine. Supervisors of earlier versions do not say. */
  readonly works?: boolean
}

const PROCESSES: Topic<ProcessReport> = { name: 'processes', timeout: SECOND }

const UNKNOWN: SandboxFacts = { kind: null, missing: [], inForce: [], advice: null }

/** The supervisor's part: knows every process it keeps, and what they told of themselves. */
export function serveProcessList(
  list: () => readonly RunningProcess[],
  /** The working process has told, for the first time or after a new start. */
  onSandbox: (sandbox: SandboxFacts) => void,
  works: boolean,
): { attach(channel: Channel): void } {
  let sandbox = UNKNOWN
  return {
    attach(channel) {
      channel.onMessage((message) => {
        if (kindOf(message) !== TELL) return
        sandbox = (message as { sandbox: SandboxFacts }).sandbox
        onSandbox(sandbox)
      })
      answerTo(channel, PROCESSES, () => ({ processes: list(), sandbox, works }))
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
  readonly works: boolean
}> {
  const ask = channel && createAsk(channel, PROCESSES)
  const alone: ProcessReport = {
    processes: [
      { name: 'serve-1', role: 'serve', pid: process.pid, startedAt: startOfThis(), restarts: 0, hangs: 0 },
    ],
    sandbox: UNKNOWN,
  }

  return async () => {
    const { processes, sandbox, works = true } = (await ask?.()) ?? alone
    const withMemory = processes.map(async (one) => ({ ...one, memory: await memoryOf(one.pid) }))
    return { processes: await Promise.all(withMemory), sandbox, works }
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
