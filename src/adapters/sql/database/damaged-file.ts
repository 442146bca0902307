import { existsSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isMissing } from '../../fs/error-code.ts'

const marker = (file: string): string => `${file}.is-damaged`
const prefixOf = (file: string): string => `${basename(file)}.damaged-`

/** Remembers that the file has to be set aside before it is opened the next time. */
export function markDamaged(file: string, onFirst: () => void): void {
  if (existsSync(marker(file))) return
  try {
    writeFileSync(marker(file), '', { mode: 0o600 })
  } catch {
    // On a full disk, say: it will be found damaged again.
  }
  onFirst()
}

export const isMarkedDamaged = (file: string): boolean => existsSync(marker(file))

/** Gives a damaged database another name, for people to look at; answers that name. */
export async function setAside(file: string): Promise<string> {
  const aside = join(dirname(file), `${prefixOf(file)}${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  // Somebody may have moved it away already.
  for (const suffix of ['', '-wal', '-shm'])
    await rename(`${file}${suffix}`, `${aside}${suffix}`).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  await rm(marker(file), { force: true })
  return aside
}

/** What was set aside, oldest first. */
export async function listSetAside(file: string): Promise<readonly string[]> {
  const names = await readdir(dirname(file))
  return names.filter((name) => name.startsWith(prefixOf(file)) && !/-(?:wal|shm)$/.test(name)).sort()
}
