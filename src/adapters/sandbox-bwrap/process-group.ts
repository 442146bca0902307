import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const REAPED_AFTER = 50

/** Kills a child with its group, unless it has ended: then the number may be somebody else's. */
export function killWithGroup(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
}

/** Whether anybody of the group was left, be it only as an entry that its parent has not taken notice of. */
function killGroup(group: number): boolean {
  try {
    return process.kill(-group, 'SIGKILL')
  } catch {
    return false
  }
}

/** The state and group of /proc/n/stat; the name before them, in brackets, may contain anything. */
const STAT = /\) (\S) \d+ (\d+) /

async function anyoneRuns(group: number): Promise<boolean> {
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue
    const [, state, of] = STAT.exec(await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')) ?? []
    if (Number(of) === group && state !== 'Z' && state !== 'X') return true
  }
  return false
}

/** Kills the group, whose leader has just ended, until nobody of it runs any more; gives up after 1.3 s. */
export async function endGroup(group: number): Promise<void> {
  for (let waits = 0; killGroup(group) && (await anyoneRuns(group)) && waits < REAPED_AFTER; waits++)
    await setTimeout(1 + waits)
}
