import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RevalidatedTags, type Revalidation } from '#core/site/revalidation.ts'
import { ignoreAbsence } from '../fs/error-code.ts'
import { temporaryName } from '../fs/private-file.ts'

/** Its name among the answers of a deployment, which have others. */
export const REVALIDATIONS = 'revalidations'

/** What is longer is written anew in as few lines as say the same. */
const MAX_BYTES = 256 * 1024
const MAX_ATTEMPTS = 20

/** A line for each revalidation, added at the end by whatever process is told of it. */
export async function addRevalidation(file: string, revalidation: Revalidation): Promise<void> {
  const line = `${JSON.stringify(revalidation)}\n`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const size = await append(file, line)
    if (size === undefined) continue
    if (size > MAX_BYTES) await shorten(file)
    return
  }
  throw new Error('another process replaced the revalidations again and again')
}

/** The size of the file, or undefined if another process replaced it meanwhile, and the line went with the old one. */
async function append(file: string, line: string): Promise<number | undefined> {
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(line)
    const [written, there] = [await handle.stat(), await stat(file).catch(() => undefined)]
    return there?.ino === written.ino ? written.size : undefined
  } finally {
    await handle.close()
  }
}

async function shorten(file: string): Promise<void> {
  const tags = await readRevalidationFile(file)
  const lines = [...tags.revalidations()].map((one) => `${JSON.stringify(one)}\n`)
  const temporary = temporaryName(file)
  await writeFile(temporary, lines.join(''), { flag: 'wx', mode: 0o600 })
  await rename(temporary, file)
}

export async function readRevalidationFile(file: string): Promise<RevalidatedTags> {
  const tags = new RevalidatedTags()
  const text = (await readFile(file, 'utf8').catch(ignoreAbsence)) ?? ''
  for (const line of text.split('\n')) {
    const revalidation = line === '' ? undefined : readLine(line)
    if (revalidation !== undefined) tags.add(revalidation)
  }
  return tags
}

/** Undefined for a line that a crash cut short. */
function readLine(line: string): Revalidation | undefined {
  try {
    const read: Partial<Revalidation> | null = JSON.parse(line)
    const isWhole = Array.isArray(read?.tags) && read.tags.every((tag) => typeof tag === 'string')
    return isWhole && Number.isFinite(read?.at) ? (read as Revalidation) : undefined
  } catch {
    return undefined
  }
}
