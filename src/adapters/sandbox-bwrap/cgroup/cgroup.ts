import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SandboxError, type SandboxLimits } from '#core/ports/sandbox.ts'
import { isMissing } from '../../fs/error-code.ts'
import { isStale } from '../owner-name.ts'
import type { CgroupPlaces, Controller } from './cgroup-places.ts'

/** One run's share of the machine. */
export interface Cgroup {
  /** A process that writes 0 to each of these belongs to it, with all its children to come. */
  readonly joinFiles: readonly string[]
  outOfMemory(): Promise<boolean>
  /** The processes in it. */
  members(): Promise<readonly number[]>
  /** Kills whoever is left, waits until they are gone, and removes it. */
  remove(): Promise<void>
}

/** The two processes of bubblewrap itself live in the same cgroup. */
const OWN_PROCESSES = 2
const PERIOD_US = 100_000
/** The part of the default weight that a run has: when the CPU is short, visitors' requests come first. */
const SHARE = 0.25
const weight = ({ share = SHARE }: SandboxLimits, one: number) => String(Math.max(2, Math.round(one * share)))
const REMOVE_WITHIN_MS = 10_000

interface Rule {
  readonly file: string
  readonly value: (limits: SandboxLimits) => string
  /** Some kernels do not have this file, and the limit holds without it. */
  readonly optional?: true
}

const bytes = (limits: SandboxLimits) => String(limits.memoryBytes)
const pids = (limits: SandboxLimits) => String(limits.processes + OWN_PROCESSES)
const quota = (limits: SandboxLimits) => String(Math.max(1000, Math.round(limits.cpus * PERIOD_US)))

const RULES: Readonly<Record<1 | 2, Readonly<Record<Controller, readonly Rule[]>>>> = {
  1: {
    memory: [
      { file: 'memory.limit_in_bytes', value: bytes },
      { file: 'memory.memsw.limit_in_bytes', value: bytes, optional: true },
    ],
    cpu: [
      { file: 'cpu.cfs_period_us', value: () => String(PERIOD_US) },
      { file: 'cpu.cfs_quota_us', value: quota },
      { file: 'cpu.shares', value: (limits) => weight(limits, 1024), optional: true },
    ],
    pids: [{ file: 'pids.max', value: pids }],
  },
  2: {
    memory: [
      { file: 'memory.max', value: bytes },
      { file: 'memory.swap.max', value: () => '0', optional: true },
      { file: 'memory.oom.group', value: () => '1', optional: true },
    ],
    cpu: [
      { file: 'cpu.max', value: (limits) => `${quota(limits)} ${PERIOD_US}` },
      { file: 'cpu.weight', value: (limits) => weight(limits, 100), optional: true },
    ],
    pids: [{ file: 'pids.max', value: pids }],
  },
}
const OOM_FILE = { 1: 'memory.oom_control', 2: 'memory.events' } as const

async function membersOf(folder: string): Promise<readonly number[]> {
  const members = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')
  return members.split('\n').filter(Boolean).map(Number)
}

async function killMembers(folder: string): Promise<void> {
  for (const pid of await membersOf(folder))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended in the meantime.
    }
}

/** A cgroup can be removed once its last process has been reaped, of which nothing tells: so it is tried again. */
async function removeFolder(folder: string): Promise<void> {
  const deadline = performance.now() + REMOVE_WITHIN_MS
  for (let pause = 1; ; pause = Math.min(pause * 2, 50))
    try {
      return await rmdir(folder)
    } catch (error) {
      if (isMissing(error)) return
      if (performance.now() > deadline)
        throw new SandboxError('not_ended', `Processes in ${folder} do not end: ${(error as Error).message}`)
      await killMembers(folder)
      await setTimeout(pause)
    }
}

export async function createCgroup(
  places: CgroupPlaces,
  name: string,
  limits: SandboxLimits,
): Promise<Cgroup> {
  const folders = new Map<Controller, string>()
  for (const [controller, place] of Object.entries(places.folders))
    folders.set(controller as Controller, join(place, name))
  const distinct = [...new Set(folders.values())]
  const remove = async () => {
    for (const folder of distinct) await removeFolder(folder)
  }
  try {
    for (const folder of distinct) await mkdir(folder)
    for (const [controller, folder] of folders)
      for (const rule of RULES[places.version][controller]) {
        const written = writeFile(join(folder, rule.file), rule.value(limits), { flag: 'r+' })
        await (rule.optional ? written.catch(() => {}) : written)
      }
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }
  const memory = folders.get('memory')
  return {
    joinFiles: distinct.map((folder) => join(folder, 'cgroup.procs')),
    async outOfMemory() {
      if (memory === undefined) return false
      const events = await readFile(join(memory, OOM_FILE[places.version]), 'utf8').catch(() => '')
      return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0
    },
    members: async () => (distinct[0] === undefined ? [] : membersOf(distinct[0])),
    remove,
  }
}

/** Ends and removes what processes left that died without closing their sandboxes. */
export async function removeStaleCgroups(places: CgroupPlaces): Promise<void> {
  for (const place of new Set(Object.values(places.folders)))
    for (const name of await readdir(place))
      if (isStale(name)) await removeFolder(join(place, name)).catch(() => {})
}
