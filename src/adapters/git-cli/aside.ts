import { mkdtemp, rm } from 'node:fs/promises'

/** How the names of folders begin that are made for one run, and are left where a process was killed during it. */
export const ASIDE = {
  remote: '.remote-',
  look: '.look-',
  made: '.new-',
  gone: '.gone-',
  held: '.held-',
} as const

/** Runs with a folder whose name begins like this, which is gone afterwards. */
export async function withAside<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const aside = await mkdtemp(prefix)
  try {
    return await work(aside)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}
