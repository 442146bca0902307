import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, getPriority, setPriority } from 'node:os'
import { isTrial } from './trial.ts'

/**
 * Servers have one core and what loads them the other, where there are two and a way to say so. What a trial measures means
 * nothing, and beside it others want the cores as well.
 */
const canPin = !isTrial && existsSync('/usr/bin/taskset') && cpus().length > 1

const SERVER_CORE = '0'
const LOAD_CORE = '1'

/**
 * What is measured and what loads it go before whatever else wants these cores, all by as much. Without it, who waits for the next
 * request loses its core to others for milliseconds each time. Only an administrator may.
 */
const canPrefer = canPin && process.getuid?.() === 0
const PREFERENCE = 15
const HIGHEST = -20
/** As many times the usual share as the kernel makes of that preference. */
const PREFERRED_WEIGHT = 28

/** Threads of a process that give way to its others still do. */
function prefer(pid: number): void {
  if (!canPrefer) return
  ignoringEnd(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      ignoringEnd(() => setPriority(thread, Math.max(HIGHEST, getPriority(thread) - PREFERENCE)))
    // Many kernels share cores among sessions first, and among the processes of a session then.
    if (existsSync(`/proc/${pid}/autogroup`)) writeFileSync(`/proc/${pid}/autogroup`, String(-PREFERENCE))
    preferGroup(pid)
  })
}

/** What a sandbox has of the cores is said by a group of its own, of either version. */
function preferGroup(pid: number): void {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
  const place = /^\d+:(?:|(?:.*,)?cpu(?:,.*)?):(\/.*aloft-.*)$/m.exec(groups)?.[1]
  if (place === undefined) return
  const [old, unified] = [`/sys/fs/cgroup/cpu${place}/cpu.shares`, `/sys/fs/cgroup${place}/cpu.weight`]
  if (existsSync(old)) writeFileSync(old, String(PREFERRED_WEIGHT * 1024))
  else if (existsSync(unified)) writeFileSync(unified, String(PREFERRED_WEIGHT * 100))
}

/** Whatever may end while it is changed. */
function ignoringEnd(change: () => void): void {
  try {
    change()
  } catch {
    // It has ended meanwhile.
  }
}

const ATTEMPTS = 5

/** Moves a running process, all threads of it. One that ends meanwhile makes that fail, so it is tried again. */
function move(pid: number, core: string): void {
  if (!canPin) return
  const args = ['-a', '-p', '-c', core, String(pid)]
  for (let attempt = 1; ; attempt++) {
    const { status } = spawnSync('taskset', args, { stdio: 'ignore' })
    if (status === 0) break
    if (attempt === ATTEMPTS) throw new Error(`process ${pid} could not be moved to core ${core}`)
  }
  prefer(pid)
}

export const toServerCore = (pid: number): void => move(pid, SERVER_CORE)
export const toLoadCore = (pid: number): void => move(pid, LOAD_CORE)
/** Wherever there is room, also if whoever has started it has a core of its own. */
export const toAnyCore = (pid: number): void => move(pid, `0-${cpus().length - 1}`)

const PREFERRED = canPrefer ? ['nice', '-n', String(-PREFERENCE)] : []

/** A command, on the core of the load. */
export const onLoadCore = (command: string, args: readonly string[]): readonly [string, string[]] =>
  canPin ? ['taskset', ['-c', LOAD_CORE, ...PREFERRED, command, ...args]] : [command, [...args]]

/** A command on the last core alone: who wakes up finds the others without it. */
export const onLastCore = (command: string, args: readonly string[]): readonly [string, string[]] =>
  canPin ? ['taskset', ['-c', String(cpus().length - 1), command, ...args]] : [command, [...args]]
