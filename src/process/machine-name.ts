import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What this machine calls itself among those of the installation: the same at every start, so that it knows again
 * what it was doing when it died. Every machine has a data folder of its own.
 */
export async function machineName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'machine-name')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  // Whole or not at all, and the first of several wins.
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${randomUUID()}\n`)
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}
