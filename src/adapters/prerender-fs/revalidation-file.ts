import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { RevalidatedTags, type Revalidation } from '#core/site/revalidation.ts'
import { tryLockFile } from '../blob-fs/folder/file-lock.ts'
import { ignoreAbsence } from '../fs/error-code.ts'
import { makePrivateFolder, syncFolder } from '../fs/private-file.ts'

/** Its name among the answers of a deployment, which have others; the names of what belongs to it begin with it. */
export const REVALIDATIONS = 'revalidations'

/** Whenever the file has grown by so much, it is written anew in as few lines as say the same. */
const SHORTENED_EVERY = 256 * 1024
/** Several processes add at the same time, and none of them knows which one has passed that size: so near it counts. */
const NEAR_BYTES = 16 * 1024
const MAX_ATTEMPTS = 20
const LOOK_MS = 10
const MAX_LOOKS = 1000

/** What is to take the place of the file. Whoever makes it holds the lock; while it is there, lines may go with the old file. */
const shortOf = (file: string) => `${file}.short`
const lockOf = (file: string) => `${file}.lock`

/** A line for each revalidation, added at the end by whatever process is told of it. On the disk when this resolves. */
export async function addRevalidation(file: string, revalidation: Revalidation): Promise<void> {
  // A line before it may have been cut short.
  const line = `\n${JSON.stringify(revalidation)}\n`
  await makePrivateFolder(dirname(file))
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const size = await append(file, line)
    if (size === undefined) continue
    // A line that is longer than what counts as near does not leap over it. One that fails is tried again when the file has
    // grown some more.
    if (size > SHORTENED_EVERY && size % SHORTENED_EVERY < NEAR_BYTES + Buffer.byteLength(line))
      await shorten(file).catch(() => undefined)
    return
  }
  throw new Error('another process replaced the revalidations again and again')
}

/** The size of the file, or undefined if another process replaced it meanwhile, and the line went with the old one. */
async function append(file: string, line: string): Promise<number | undefined> {
  const isNew = (await stat(file).catch(ignoreAbsence)) === undefined
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(line)
    await handle.datasync()
    // Its folder may be new, too.
    if (isNew) for (const folder of [dirname(file), dirname(dirname(file))]) await syncFolder(folder)
    await untilShortened(file)
    const [written, there] = [await handle.stat(), await stat(file).catch(() => undefined)]
    return there?.ino === written.ino ? written.size : undefined
  } finally {
    await handle.close()
  }
}

/** Whoever shortens the file from now on reads what is in it now. */
async function untilShortened(file: string): Promise<void> {
  for (let look = 0; (await stat(shortOf(file)).catch(ignoreAbsence)) !== undefined; look++) {
    if (look === MAX_LOOKS) throw new Error('another process takes too long to shorten the revalidations')
    const lock = tryLockFile(lockOf(file))
    if (lock === undefined) {
      await delay(LOOK_MS)
      continue
    }
    try {
      // Whoever made it has died.
      await rm(shortOf(file), { force: true })
    } finally {
      lock.release()
    }
  }
}

async function shorten(file: string): Promise<void> {
  const lock = tryLockFile(lockOf(file))
  if (lock === undefined) return
  try {
    await writeShort(file)
  } finally {
    await rm(shortOf(file), { force: true }).finally(() => lock.release())
  }
}

/** Worth it only where much goes: otherwise it would soon be as long again. */
async function writeShort(file: string): Promise<void> {
  const short = await open(shortOf(file), 'w', 0o600)
  try {
    const { size } = await stat(file)
    const tags = await readRevalidationFile(file)
    const text = [...tags.revalidations()].map((one) => `${JSON.stringify(one)}\n`).join('')
    if (Buffer.byteLength(text) * 2 > size) return
    await short.writeFile(text)
    await short.sync()
    await rename(shortOf(file), file)
    await syncFolder(dirname(file))
  } finally {
    await short.close()
  }
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
