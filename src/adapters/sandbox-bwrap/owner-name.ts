import { readlinkSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRunning } from '../fs/is-running.ts'

/** Everything left on the machine carries its opener in its name, so that a later opening can clear what outlived it. */
export interface Owner {
  readonly pid: number
  /** Tells the sandboxes of one process apart. */
  readonly opening: number
}

let openings = 0

export const nextOwner = (): Owner => ({ pid: process.pid, opening: openings++ })

/**
 * Where a pid means what it means here. A container on the network of its machine sees what others left there, and
 * none of their processes.
 */
const pidSpace = ((): string => {
  try {
    const number = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
    return Number(number ?? 0).toString(36)
  } catch {
    return '0'
  }
})()

export const ownerName = (owner: Owner): string => `aloft-${pidSpace}-${owner.pid}-${owner.opening}`

const NAME = /^aloft-([0-9a-z]+)-(\d+)-\d+(?:-.*)?$/

/** Whether a name is one of ours whose process is gone; of those that cannot be seen from here, nobody knows. */
export function isStale(name: string): boolean {
  const [, space, pid] = NAME.exec(name) ?? []
  return space === pidSpace && !isRunning(Number(pid))
}

/** Clears what openings of this user left in a folder in which everybody may write; what is others' stays theirs. */
export async function clearStale(folder: string, uid = process.getuid?.()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isStale(name)) continue
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    if (found?.uid === uid) await rm(path, { recursive: true, force: true })
  }
}
