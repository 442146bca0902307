import { createHash } from 'node:crypto'
import { type BackupEnd, CHECKSUMS, END, padding, readTarHeader } from '#contract/backup/backup.ts'
import { PIECE, type ReadAt, SealError } from '#contract/backup/sealed-backup.ts'

const BLOCK = 512
const STEP = 1 << 20
/** `<sha256>  <name>` */
const LINE = /^([0-9a-f]{64}) {2}(.+)$/

/**
 * The names of the entries of an archive that do not match their checksums, in their order. It goes by the list of
 * checksums, so that the entry after one whose header is damaged is found again.
 */
export async function findDamage(
  readAt: ReadAt,
  bytes: number,
  { at, sha256 }: NonNullable<BackupEnd['checksums']>,
): Promise<readonly string[]> {
  const damaged: string[] = []
  const list = await readList(readAt, at, bytes, sha256)
  if (list === undefined) return [CHECKSUMS]
  const names = [...list]
  let position = 0
  /** Looked for once behind each entry, however many are missing there: what is behind them may be many gigabytes. */
  let found: Awaited<ReturnType<typeof nextEntry>>
  for (const [n, [name, expected]] of names.entries()) {
    found ??= await nextEntry(readAt, position, at, list)
    if (found === undefined) return [...damaged, ...names.slice(n).map(([each]) => each)]
    // Its header is damaged, and what was found is a later one.
    if (found.name !== name) {
      damaged.push(name)
      continue
    }
    const from = found.position + BLOCK
    const isSound =
      (await hashOf(readAt, from, found.size)) === expected && (await isBlank(readAt, from + found.size))
    if (!isSound) damaged.push(name)
    position = from + found.size + padding(found.size)
    found = undefined
  }
  // Then it is what they are compared with.
  return damaged.length > 0 ? damaged : [END]
}

/** The checksums by the names of the entries; undefined when they are damaged themselves. */
async function readList(
  readAt: ReadAt,
  at: number,
  end: number,
  sha256: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const header = await headerAt(readAt, at)
  if (header?.name !== CHECKSUMS || at + BLOCK + header.size > end) return undefined
  const from = at + BLOCK
  if ((await hashOf(readAt, from, header.size)) !== sha256 || !(await isBlank(readAt, from + header.size)))
    return undefined
  const list = new Map<string, string>()
  const text = (await readAt(from, header.size)).toString('utf8')
  for (const line of text.split('\n')) {
    const [, sum, name] = LINE.exec(line) ?? []
    if (sum !== undefined && name !== undefined) list.set(name, sum)
  }
  return list
}

/** The first entry of the list at a place or, where there is none because its header is damaged, behind it. */
async function nextEntry(
  readAt: ReadAt,
  start: number,
  end: number,
  list: ReadonlyMap<string, string>,
): Promise<{ readonly name: string; readonly position: number; readonly size: number } | undefined> {
  for (let position = start; position < end; ) {
    // It is where it should be unless a header is damaged; and up to the end of a piece, so that one hides no other.
    const length = position === start ? BLOCK : Math.min(PIECE - (position % PIECE), end - position)
    const piece = await unlessUnreadable(readAt(position, length))
    for (let offset = 0; piece && offset < length; offset += BLOCK) {
      const header = readTarHeader(piece.subarray(offset, offset + BLOCK))
      if (header && list.has(header.name) && position + offset + BLOCK + header.size <= end)
        return { ...header, position: position + offset }
    }
    position += length
  }
  return undefined
}

const headerAt = async (readAt: ReadAt, position: number) => {
  const block = await unlessUnreadable(readAt(position, BLOCK))
  return block && readTarHeader(block)
}

async function hashOf(readAt: ReadAt, from: number, size: number): Promise<string | undefined> {
  const hash = createHash('sha256')
  for (let position = from; position < from + size; position += STEP) {
    const chunk = await unlessUnreadable(readAt(position, Math.min(STEP, from + size - position)))
    if (chunk === undefined) return undefined
    hash.update(chunk)
  }
  return hash.digest('hex')
}

/** Whether that is empty which fills an entry up to whole blocks. */
async function isBlank(readAt: ReadAt, position: number): Promise<boolean> {
  const rest = await unlessUnreadable(readAt(position, padding(position)))
  return rest !== undefined && !rest.some(Boolean)
}

/** Of a backup that is sealed, what is damaged cannot be read at all. */
const unlessUnreadable = (reading: Promise<Buffer>): Promise<Buffer | undefined> =>
  reading.catch((error: unknown) => {
    if (!(error instanceof SealError)) throw error
    return undefined
  })
