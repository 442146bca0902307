import { readFileSync } from 'node:fs'
import type { Labels } from './engine/engine-types.ts'

/** What tells whose an image or a container is. */
export const LABEL = {
  installation: 'dev.aloft.installation',
  owner: 'dev.aloft.owner',
  deployment: 'dev.aloft.deployment',
  /** The working process that runs the container. */
  process: 'dev.aloft.process',
  /** The machine of that process, on a swarm. */
  machine: 'dev.aloft.machine',
} as const

interface ImageOwner {
  readonly installation: string
  readonly ownerId: string
  readonly deploymentId: string
}

/** Each costs a step of a build. */
export const labelsOf = ({ installation, ownerId, deploymentId }: ImageOwner): Labels => ({
  [LABEL.installation]: installation,
  [LABEL.owner]: ownerId,
  [LABEL.deployment]: deploymentId,
})

/** When a process began, in ticks since the machine did: a number used again is another process. */
function beganAt(pid: number | 'self'): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, can hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** The name of this process among all that this machine has had since its start. */
export const ownProcess = (): string => `${process.pid}.${beganAt('self') ?? '0'}`

/** Whether a process of such a name still runs. */
export function processRuns(name: string): boolean {
  const [pid = '', began] = name.split('.')
  return /^\d+$/.test(pid) && beganAt(Number(pid)) === began
}
