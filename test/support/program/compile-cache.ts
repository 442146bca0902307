import { chownSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/**
 * Where processes of this user keep what they have compiled. Without a folder that they may write to, each of them strips
 * and compiles every file itself; the clone's own belongs to whoever runs the tests.
 */
export function compileCacheOf(uid: number): string {
  if (uid === (process.getuid?.() ?? 0)) return join(root, 'node_modules/.cache/aloft')
  const folder = join(tmpdir(), `aloft-test-compiled-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chownSync(folder, uid, uid)
  return folder
}
