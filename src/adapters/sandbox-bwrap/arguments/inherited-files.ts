import { readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2000000

/**
 * The descriptors that this process got from whoever started it and would hand on to every program it starts. Those
 * it opens itself close on their own.
 */
export function inheritedFiles(above: number): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .sort((a, b) => a - b)
    .filter((fd) => {
      if (fd <= above) return false
      try {
        const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
        return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
      } catch {
        // The descriptor of this very listing.
        return false
      }
    })
}
