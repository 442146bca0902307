import { readFileSync } from 'node:fs'

/** What files, databases, and connections to functions need beside those of visitors. */
const SHARE_OF_VISITORS = 0.75
const LEAST_FOR_OTHERS = 100

/** How many connections a process may have open, by its limit of open files; no limit where that is not known. */
export function connectionLimit(limits: string = readLimits()): number {
  const [, files] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  if (files === undefined) return Number.POSITIVE_INFINITY
  const all = Number(files)
  return Math.max(16, Math.floor(Math.min(all * SHARE_OF_VISITORS, all - LEAST_FOR_OTHERS)))
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}
