import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DevEvent, DevOptions, DevOrder } from '#contract/dev.ts'
import { DEV_ENTRY } from '../dev-entry.ts'

/** All that it tells, but for what only matters when it ends. */
export type DevMessage = Exclude<DevEvent, { readonly type: 'group' }>

/** How long everything has to end by itself once it is asked to. */
const TIMEOUT_MS = 8000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the program that serves the folder, until it ends or this one is told to; answers the exit code. Whatever
 * happens to it, nothing is left: neither processes nor files.
 */
export async function runDev(
  options: Omit<DevOptions, 'work'>,
  onEvent: (event: DevMessage) => void,
): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), 'aloft-dev-'))
  let group: number | undefined
  // What it says comes as events; whatever else it prints is meant for people.
  const child = fork(DEV_ENTRY, [], {
    stdio: ['ignore', 2, 2, 'ipc'],
    // It starts in half the time from what was compiled before.
    env: { ...process.env, ...compileCache() },
  })
  const order = (message: DevOrder) => {
    if (child.connected) child.send(message, () => {})
  }
  child.on('message', (event: DevEvent) => {
    if (event.type === 'group') group = event.pid
    else onEvent(event)
  })
  order({ type: 'start', options: { ...options, work } })

  let asked = false
  const stop = () => {
    if (asked) return
    asked = true
    order({ type: 'stop' })
    setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS).unref()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (status) => resolve(status ?? 1))
    })
    return asked ? 0 : code
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    if (group !== undefined) endGroup(group)
    rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended as it should.
  }
}
