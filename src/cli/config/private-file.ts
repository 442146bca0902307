import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { withFileLock } from './file-lock.ts'

/** Replaces a file that its owner alone may read, by what `next` makes of it while no other process changes it. */
export function changePrivately(path: string, next: () => string): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  withFileLock(`${path}.lock`, () => replacePrivately(path, next()))
}

/** Whoever reads meanwhile sees the old file or the new one, and so does whoever comes after a power cut. */
export function replacePrivately(path: string, text: string): void {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`)
  const file = openSync(temporary, 'wx', 0o600)
  try {
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
