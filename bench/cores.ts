import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { isTrial } from './trial.ts'

/**
 * Servers have one core and what loads them the other, where there are two and a way to say so. What a trial measures means
 * nothing, and beside it others want the cores as well.
 */
const canPin = !isTrial && existsSync('/usr/bin/taskset') && cpus().length > 1

const SERVER_CORE = '0'
const LOAD_CORE = '1'

const ATTEMPTS = 5

/** Moves a running process, all threads of it. One that ends meanwhile makes that fail, so it is tried again. */
function move(pid: number, core: string): void {
  if (!canPin) return
  const args = ['-a', '-p', '-c', core, String(pid)]
  for (let attempt = 1; ; attempt++) {
    const { status } = spawnSync('taskset', args, { stdio: 'ignore' })
    if (status === 0) return
    if (attempt === ATTEMPTS) throw new Error(`process ${pid} could not be moved to core ${core}`)
  }
}

export const toServerCore = (pid: number): void => move(pid, SERVER_CORE)
export const toLoadCore = (pid: number): void => move(pid, LOAD_CORE)
/** Wherever there is room, also if whoever has started it has a core of its own. */
export const toAnyCore = (pid: number): void => move(pid, `0-${cpus().length - 1}`)

/** A command, on the core of the load. */
export const onLoadCore = (command: string, args: readonly string[]): readonly [string, string[]] =>
  canPin ? ['taskset', ['-c', LOAD_CORE, command, ...args]] : [command, [...args]]
