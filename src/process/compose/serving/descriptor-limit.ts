import { readFileSync } from 'node:fs'

/** What files, databases, and connections to functions need beside those of visitors. */
const SHARE_OF_VISITORS = 0.75
const LEAST_FOR_OTHERS = 100

/** With fewer, no sandbox can be started, and builds and functions would run without one. */
const LEAST_FILES = 256

/** How many files a process may have open; no limit where that is not known. */
function fileLimit(limits: string): number {
  const [, files] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return files === undefined ? Number.POSITIVE_INFINITY : Number(files)
}

/** What is to be told where a process may have too few files open; undefined where they suffice. */
export function tooFewFiles(limits: string = readLimits()): string | undefined {
  const files = fileLimit(limits)
  return files >= LEAST_FILES
    ? undefined
    : `the limit of open files is ${files}, and at least ${LEAST_FILES} are needed; raise it (ulimit -n, LimitNOFILE)`
}

/** How many connections a process may have open, by its limit of open files; no limit where that is not known. */
export function connectionLimit(limits: string = readLimits()): number {
  const all = fileLimit(limits)
  return Math.max(16, Math.floor(Math.min(all * SHARE_OF_VISITORS, all - LEAST_FOR_OTHERS)))
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}
