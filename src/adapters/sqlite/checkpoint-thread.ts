import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { isBusy } from './sqlite-error.ts'

const TRIES = 20
const PAUSE_MS = 3

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

/** Keeps others from writing for the little that is left. It never waits meanwhile, because they would wait for as long. */
function empty(db: DatabaseSync): boolean {
  for (let tries = 0; tries < TRIES; tries++) {
    if (Number(db.prepare('pragma wal_checkpoint(truncate)').get()?.busy) === 0) return true
    pause()
  }
  return false
}

function putAway(file: string): void {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0')
    // Moves nearly everything while others write.
    db.prepare('pragma wal_checkpoint(passive)').get()
    if (empty(db)) {
      // The first commit after that syncs the head of the log: made here, no event loop waits for it.
      db.exec('begin immediate')
      const version = db.prepare('pragma user_version').get()?.user_version
      db.exec(`pragma user_version = ${Number(version)}; commit`)
    }
  } catch (error) {
    // Another process is at it, or writes: the next look finds what is left.
    if (!isBusy(error)) throw error
  } finally {
    db.close()
  }
}

parentPort?.on('message', (file: string) => {
  try {
    putAway(file)
    parentPort?.postMessage(undefined)
  } catch (error) {
    parentPort?.postMessage(error)
  }
})
