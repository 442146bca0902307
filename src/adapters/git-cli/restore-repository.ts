import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The names of what a backup holds of repositories: the id of one, and a text or an object of it. */
const ENTRY =
  /^git\/([A-Za-z0-9_-]{1,64})\/(HEAD|packed-refs|shallow|[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]{40,64}\.(?:pack|idx|rev))$/

const TEXTS: ReadonlySet<string> = new Set(['HEAD', 'packed-refs', 'shallow'])
export const BARE_CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'

export const isOfRepository = (name: string): boolean => ENTRY.test(name)

/** Puts one entry of a backup where it belongs in a folder of repositories. */
export async function restoreOfRepository(
  folder: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const [, id = '', path = ''] = ENTRY.exec(name) ?? []
  const at = join(folder, `${id}.git`)
  if (path === 'HEAD') {
    // Without this folder git does not take it for a repository.
    await mkdir(join(at, 'refs'), { recursive: true, mode: 0o700 })
    await mkdir(join(at, 'objects'), { recursive: true, mode: 0o700 })
    await writeFile(join(at, 'config'), BARE_CONFIG, { mode: 0o600 })
  }
  const file = TEXTS.has(path) ? join(at, path) : join(at, 'objects', path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await pipeline(content, createWriteStream(file, { mode: 0o600, flush: true }))
}
