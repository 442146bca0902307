import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupManifest,
  type BackupRows,
  backupEnd,
  CHECKSUMS,
  checksumLine,
  END_BYTES,
  MANIFEST,
  MASTER_KEY,
  MISSING,
  padding,
  tarBytes,
  tarEntry,
  tarHeader,
} from '#contract/backup/backup.ts'
import type { BackupOptions, Backups, TableSource, TakeRows } from '#core/operator/backup.ts'
import { BlobError, type BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { isMissing } from '../fs/error-code.ts'
import type { HeldRepositories, RepositoryFiles } from '../git-cli/repository-files.ts'
import { keyCheckOf } from './key-check.ts'
import { openSpool, type Spool } from './spool.ts'

interface BackupParts {
  /** For what has to wait on disk while a backup is made. */
  readonly folder: string
  readonly source: TableSource
  readonly blobs: BlobStore
  readonly repositories: RepositoryFiles
  readonly masterKey: Buffer
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

interface Plan {
  readonly manifest: BackupManifest
  readonly key: Buffer | undefined
  readonly spool: Spool
  readonly createdAt: number
  readonly objects: readonly ObjectFile[]
}

/** What a repository holds. Such files never change. */
interface ObjectFile {
  readonly name: string
  readonly size: number
  open(): AsyncIterable<Buffer>
}

/** Contents up to this size are read whole, several at once. */
const SMALL = 64 * 1024
const AT_ONCE = 32

const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/**
 * Everything in one tar: the manifest, the rows of the databases, the contents of files, the checksums of all of these,
 * and a checksum of the whole at the end.
 */
export function createBackups(parts: BackupParts): Backups {
  return {
    async make(options) {
      const spool = await openSpool(parts.folder)
      const held = await parts.repositories.hold().catch(async (error: unknown) => {
        await spool.close()
        throw error
      })
      const close = async () => {
        await spool.close()
        await held.close()
      }
      try {
        const plan = await makePlan(parts, options, spool, held)
        const content = Readable.from(archive(parts, plan), { objectMode: false, highWaterMark: 1 << 20 })
        content.once('close', () => void close())
        return { fileName: fileNameOf(plan.createdAt), bytes: await sizeOf(plan), content }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

const fileNameOf = (at: number): string =>
  `aloft-backup-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')}.tar`

async function makePlan(
  parts: BackupParts,
  options: BackupOptions,
  spool: Spool,
  held: HeldRepositories,
): Promise<Plan> {
  const { source, blobs, masterKey, version, clock } = parts
  const createdAt = clock.now()
  const contents = { count: 0, bytes: 0, missing: 0 }
  const read = (schema: 'main' | 'logs'): Promise<BackupRows> => {
    let entry = 0
    return source.rows(schema, {
      async rows(table, lines) {
        entry += 1
        const name = `${schema}/${table}/${String(entry).padStart(8, '0')}.jsonl`
        await spoolEntry(spool, name, Buffer.from(`${lines.join('\n')}\n`), createdAt)
      },
      async blobs(sha256s) {
        const there = await blobs.stat(sha256s)
        let [names, missing] = ['', '']
        for (const sha256 of sha256s) {
          const blob = there.get(sha256)
          if (blob) {
            contents.count += 1
            contents.bytes += blob.size
            names += `${sha256} ${blob.size}\n`
          } else {
            contents.missing += 1
            missing += `${sha256}\n`
          }
        }
        await spool.names.appendFile(names)
        await spool.missing.appendFile(missing)
      },
    } satisfies TakeRows)
  }
  const main = await read('main')
  const objects = await readRepositories(held, spool, createdAt)
  const logs = options.logs ? await read('logs') : undefined
  const manifest: BackupManifest = {
    format: BACKUP_FORMAT,
    version: BACKUP_VERSION,
    aloft: version,
    createdAt,
    database: source.kind,
    main,
    ...(logs ? { logs } : {}),
    blobs: contents,
    keyCheck: keyCheckOf(masterKey),
    hasKey: options.key,
  }
  const key = options.key ? Buffer.from(`${masterKey.toString('base64')}\n`) : undefined
  return { manifest, key, spool, createdAt, objects }
}

/** An entry that is in memory goes to the disk, for the time being, and its checksum. */
async function spoolEntry(spool: Spool, name: string, content: Buffer, createdAt: number): Promise<void> {
  await spool.rows.appendFile(tarEntry(name, content, createdAt))
  await spool.checksums.appendFile(checksumLine(sha256Of(content), name))
}

/** After the rows: what a push in between brought is there without its row, which is harmless, and not the other way round. */
async function readRepositories(
  held: HeldRepositories,
  spool: Spool,
  createdAt: number,
): Promise<readonly ObjectFile[]> {
  const files: ObjectFile[] = []
  for (const id of await held.ids()) {
    const { texts, objects } = await held.snapshot(id)
    for (const [name, text] of texts) await spoolEntry(spool, `git/${id}/${name}`, text, createdAt)
    for (const { path, file, size } of objects)
      files.push({
        name: `git/${id}/${path}`,
        size,
        open: () => createReadStream(file, { highWaterMark: 256 * 1024 }),
      })
  }
  return files
}

/** What comes before everything else. */
const firstOf = ({ manifest, key }: Plan): readonly (readonly [name: string, content: Buffer])[] => [
  [MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
  ...(key ? [[MASTER_KEY, key] as const] : []),
]

/** All of this is known before the first byte leaves. */
async function sizeOf(plan: Plan): Promise<number> {
  let bytes = (await plan.spool.rows.stat()).size + END_BYTES
  let checksums = (await plan.spool.checksums.stat()).size
  const count = (name: string, size: number) => {
    bytes += tarBytes(size)
    checksums += checksumLine(NO_SHA256, name).length
  }
  for (const [name, content] of firstOf(plan)) count(name, content.length)
  for await (const { sha256, size } of namesOf(plan.spool)) count(blobName(sha256), size)
  for (const { name, size } of plan.objects) count(name, size)
  return bytes + tarBytes(checksums)
}

/** As long as any. */
const NO_SHA256 = '0'.repeat(64)

const blobName = (sha256: string): string => `blobs/${sha256}`

interface NamedBlob {
  readonly sha256: string
  readonly size: number
}

async function* namesOf({ names }: Spool): AsyncGenerator<NamedBlob> {
  for await (const line of names.readLines({ start: 0, autoClose: false })) {
    const [sha256 = '', size] = line.split(' ')
    yield { sha256, size: Number(size) }
  }
}

/** The whole archive; its bytes are hashed as they leave. */
async function* archive(parts: BackupParts, plan: Plan): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const { missing: before } = plan.manifest.blobs
  let bytes = 0
  let missing = before
  const onMissing = async (sha256: string) => {
    missing += 1
    await plan.spool.missing.appendFile(`${sha256}\n`)
  }
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  yield* counted(body(parts, plan, onMissing))
  const at = bytes
  const checksums = createHash('sha256')
  yield* counted(checksumsOf(plan, (chunk) => checksums.update(chunk)))
  yield backupEnd(
    { sha256: hash.digest('hex'), bytes, missing, checksums: { at, sha256: checksums.digest('hex') } },
    plan.createdAt,
  )
}

/** The entry with the checksums of all others, in their order. */
async function* checksumsOf(plan: Plan, onText: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  const { spool, createdAt } = plan
  const first = Buffer.from(
    firstOf(plan)
      .map(([name, content]) => checksumLine(sha256Of(content), name))
      .join(''),
  )
  const size = first.length + (await spool.checksums.stat()).size
  yield tarHeader(CHECKSUMS, size, createdAt)
  onText(first)
  yield first
  for await (const chunk of spool.checksums.createReadStream(WHOLE)) {
    onText(chunk)
    yield chunk
  }
  yield Buffer.alloc(padding(size))
}

const WHOLE = { start: 0, autoClose: false, highWaterMark: 256 * 1024 }

type OnMissing = (sha256: string) => Promise<void>

async function* body(parts: BackupParts, plan: Plan, onMissing: OnMissing): AsyncGenerator<Buffer> {
  yield Buffer.concat(firstOf(plan).map(([name, content]) => tarEntry(name, content, plan.createdAt)))
  yield* plan.spool.rows.createReadStream(WHOLE)
  let small: NamedBlob[] = []
  const saveSmall = async () => {
    const contents = await together(parts, plan, small, onMissing)
    small = []
    return contents
  }
  for await (const named of namesOf(plan.spool)) {
    if (named.size > SMALL) yield* large(parts, plan, named, onMissing)
    else if (small.push(named) === AT_ONCE) yield await saveSmall()
  }
  if (small.length > 0) yield await saveSmall()
  for (const file of plan.objects) yield* objectOf(file, plan)
  const { size } = await plan.spool.missing.stat()
  if (size > 0)
    yield* objectOf({ name: MISSING, size, open: () => plan.spool.missing.createReadStream(WHOLE) }, plan)
}

/** A repository that was deleted meanwhile takes nothing along but itself. */
async function* objectOf(
  { name, size, open }: ObjectFile,
  { createdAt, spool }: Plan,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let got = 0
  try {
    for await (const chunk of open()) {
      if (got === 0) yield tarHeader(name, size, createdAt)
      got += chunk.length
      hash.update(chunk)
      yield chunk
    }
  } catch (error) {
    if (isMissing(error) && got === 0) return
    throw error
  }
  if (got !== size) throw new Error(`The object ${name} ended after ${got} of ${size} bytes`)
  await spool.checksums.appendFile(checksumLine(hash.digest('hex'), name))
  yield Buffer.alloc(padding(size))
}

async function together(
  parts: BackupParts,
  { createdAt, spool }: Plan,
  small: readonly NamedBlob[],
  onMissing: OnMissing,
): Promise<Buffer> {
  const contents = await Promise.all(
    small.map(async ({ sha256 }) => ({
      sha256,
      content: await unlessCorrupt(parts, sha256, () => parts.blobs.read(sha256)),
    })),
  )
  const entries: Buffer[] = []
  let checksums = ''
  for (const { sha256, content } of contents)
    if (content) {
      entries.push(tarEntry(blobName(sha256), content, createdAt))
      checksums += checksumLine(sha256, blobName(sha256))
    } else await onMissing(sha256)
  await spool.checksums.appendFile(checksums)
  return Buffer.concat(entries)
}

async function* large(
  parts: BackupParts,
  { createdAt, spool }: Plan,
  { sha256, size }: NamedBlob,
  onMissing: OnMissing,
): AsyncGenerator<Buffer> {
  // Read twice: once its header is on the way, nothing can be left out any more.
  if ((await parts.blobs.verify(sha256)) !== 'sound') return await onMissing(sha256)
  const content = await parts.blobs.open(sha256)
  if (!content) return await onMissing(sha256)
  yield tarHeader(blobName(sha256), size, createdAt)
  // What it has to be, even if it is damaged from now on.
  await spool.checksums.appendFile(checksumLine(sha256, blobName(sha256)))
  let got = 0
  for await (const chunk of content) {
    got += chunk.length
    yield chunk
  }
  if (got !== size) throw new Error(`The content ${sha256} ended after ${got} of ${size} bytes`)
  yield Buffer.alloc(padding(size))
}

/** One damaged content must not keep the others from being saved. */
async function unlessCorrupt<T>(
  { log }: BackupParts,
  sha256: string,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof BlobError) || error.kind !== 'corrupt') throw error
    log.error({ err: error, sha256 }, 'a damaged content is left out of the backup')
    return undefined
  }
}
