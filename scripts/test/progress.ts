import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The files of a whole run that have passed, so that one that was ended early, or failed in a few, can be gone on with. */
interface Progress {
  has(file: string): boolean
  passed(files: readonly string[]): void
}

/** `goesOn`: with what the run before has left; else from the beginning. */
export function openProgress(path: string, goesOn: boolean): Progress {
  mkdirSync(dirname(path), { recursive: true })
  const before = new Set(goesOn ? linesOf(path) : [])
  if (!goesOn) writeFileSync(path, '')
  return {
    has: (file) => before.has(file),
    // At once: nobody knows when the run is ended.
    passed: (files) => appendFileSync(path, files.map((file) => `${file}\n`).join('')),
  }
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    // There was no run before.
    return []
  }
}
