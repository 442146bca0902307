import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The descriptor by which a process that the supervisor keeps writes down what it does. */
const ACTIVITY_FD = 4

const BYTES = 512

/**
 * What a process was about to do, for the case that it stands still and cannot be asked any more. It lies in the memory
 * of the system, in a file without a name, so that writing it down costs little and nothing is left of it.
 */
export interface Activity {
  /** Only the last thing is known. */
  begin(what: string): void
}

export const NOBODY_READS: Activity = { begin: () => {} }

/** In the process itself. */
export function openActivity(): Activity {
  try {
    if (!fstatSync(ACTIVITY_FD).isFile()) return NOBODY_READS
  } catch {
    return NOBODY_READS
  }
  const buffer = Buffer.alloc(BYTES)
  let last: string | undefined
  return {
    begin(what) {
      if (what === last) return
      last = what
      // The reader stops at the first zero.
      const end = buffer.write(what, 0, BYTES - 1, 'utf8')
      buffer[end] = 0
      try {
        writeSync(ACTIVITY_FD, buffer, 0, end + 1, 0)
      } catch {
        // A full disk is no reason not to do it.
      }
    },
  }
}

/** In the supervisor. */
export interface ActivityNotes {
  readonly fd: number
  /** What was begun last; empty when nothing was. */
  read(): string
  close(): void
}

export function createActivityNotes(): ActivityNotes {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-'))
  const fd = openSync(join(folder, 'activity'), 'w+', 0o600)
  rmSync(folder, { recursive: true })
  return {
    fd,
    read() {
      const buffer = Buffer.alloc(BYTES)
      readSync(fd, buffer, 0, BYTES, 0)
      const end = buffer.indexOf(0)
      return buffer.toString('utf8', 0, end < 0 ? BYTES : end)
    },
    close: () => closeSync(fd),
  }
}
