import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long reads may follow on each other before others have their turn. */
const TURN_MS = 5
/** A read that takes longer had to wait for a disk or a network. */
const SLOW_MS = 5
/** So many after such a one are left to threads, where many wait at once. */
const LEFT_TO_THREADS = 16

let turnBegan = 0
let leftToThreads = 0

/**
 * A small file as a whole. Threads make four trips for it, which cost many times what reading takes that is in memory
 * already, as files are that were just built: they are read at once. Where reading takes time, threads do it.
 */
export async function readSmall(source: string, signal?: AbortSignal): Promise<Buffer> {
  if (leftToThreads > 0) {
    leftToThreads--
    return readFile(source, signal === undefined ? undefined : { signal })
  }
  if (performance.now() - turnBegan > TURN_MS) {
    await nextTurn()
    turnBegan = performance.now()
  }
  signal?.throwIfAborted()
  const began = performance.now()
  const bytes = readFileSync(source)
  if (performance.now() - began > SLOW_MS) leftToThreads = LEFT_TO_THREADS
  return bytes
}
