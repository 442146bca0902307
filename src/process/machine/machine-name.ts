import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFileOnce } from '#adapters/fs/private-file.ts'

/**
 * What this machine calls itself among those of the installation: the same at every start, so that it knows again
 * what it was doing when it died. Every machine has a data folder of its own.
 */
export async function machineName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'machine-name')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  await writePrivateFileOnce(file, `${randomUUID()}\n`)
  return (await readFile(file, 'utf8')).trim()
}
