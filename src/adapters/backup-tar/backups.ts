import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupManifest,
  type BackupRows,
  backupEnd,
  END_BYTES,
  MANIFEST,
  MASTER_KEY,
  padding,
  tarEntry,
  tarHeader,
} from '#contract/backup.ts'
import type { BackupOptions, Backups, TableSource, TakeRows } from '#core/operator/backup.ts'
import { BlobError, type BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { HeldRepositories, RepositoryFiles } from '../git-cli/repository-files.ts'
import { keyCheckOf } from './key-check.ts'
import { openSpool, type Spool } from './spool.ts'

export interface BackupParts {
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
  readonly path: string
  readonly size: number
}

/** Contents up to this size are read whole, several at once. */
const SMALL = 64 * 1024
const AT_ONCE = 32

/** Everything in one tar: the manifest, the rows of the databases, the contents of files, and a checksum at the end. */
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
        await spool.rows.appendFile(tarEntry(name, Buffer.from(`${lines.join('\n')}\n`), createdAt))
      },
      async blobs(sha256s) {
        const there = await blobs.stat(sha256s)
        const lines = sha256s.flatMap((sha256) => {
          const blob = there.get(sha256)
          if (blob) {
            contents.count += 1
            contents.bytes += blob.size
          } else contents.missing += 1
          return blob ? [`${sha256} ${blob.size}\n`] : []
        })
        await spool.names.appendFile(lines.join(''))
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

/** After the rows: what a push in between brought is there without its row, which is harmless, and not the other way round. */
async function readRepositories(
  held: HeldRepositories,
  spool: Spool,
  createdAt: number,
): Promise<readonly ObjectFile[]> {
  const files: ObjectFile[] = []
  for (const id of await held.ids()) {
    const { texts, objects } = await held.snapshot(id)
    for (const [name, text] of texts)
      await spool.rows.appendFile(tarEntry(`git/${id}/${name}`, text, createdAt))
    for (const { path, file, size } of objects) files.push({ name: `git/${id}/${path}`, path: file, size })
  }
  return files
}

const manifestEntry = ({ manifest, createdAt }: Plan): Buffer =>
  tarEntry(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), createdAt)

const keyEntry = ({ key, createdAt }: Plan): Buffer =>
  key ? tarEntry(MASTER_KEY, key, createdAt) : Buffer.alloc(0)

async function sizeOf(plan: Plan): Promise<number> {
  let bytes = manifestEntry(plan).length + keyEntry(plan).length + END_BYTES
  bytes += (await plan.spool.rows.stat()).size
  for await (const { size } of namesOf(plan.spool)) bytes += 512 + size + padding(size)
  for (const { size } of plan.objects) bytes += 512 + size + padding(size)
  return bytes
}

interface Named {
  readonly sha256: string
  readonly size: number
}

async function* namesOf({ names }: Spool): AsyncGenerator<Named> {
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
  const onMissing = () => {
    missing += 1
  }
  for await (const chunk of body(parts, plan, onMissing)) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  yield backupEnd({ sha256: hash.digest('hex'), bytes, missing }, plan.createdAt)
}

async function* body(parts: BackupParts, plan: Plan, onMissing: () => void): AsyncGenerator<Buffer> {
  yield Buffer.concat([manifestEntry(plan), keyEntry(plan)])
  yield* plan.spool.rows.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 })
  let small: Named[] = []
  for await (const named of namesOf(plan.spool)) {
    if (named.size > SMALL) yield* large(parts, plan, named, onMissing)
    else small.push(named)
    if (small.length < AT_ONCE) continue
    yield await together(parts, plan, small, onMissing)
    small = []
  }
  if (small.length > 0) yield await together(parts, plan, small, onMissing)
  for (const file of plan.objects) yield* objectOf(file, plan)
}

/** A repository that was deleted meanwhile takes nothing along but itself. */
async function* objectOf({ name, path, size }: ObjectFile, { createdAt }: Plan): AsyncGenerator<Buffer> {
  const content = createReadStream(path, { highWaterMark: 256 * 1024 })
  let got = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (got === 0) yield tarHeader(name, size, createdAt)
      got += chunk.length
      yield chunk
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && got === 0) return
    throw error
  }
  if (got !== size) throw new Error(`The object ${name} ended after ${got} of ${size} bytes`)
  yield Buffer.alloc(padding(size))
}

async function together(
  parts: BackupParts,
  { createdAt }: Plan,
  small: readonly Named[],
  onMissing: () => void,
): Promise<Buffer> {
  const entries = await Promise.all(
    small.map(async ({ sha256 }) => {
      const content = await unlessCorrupt(parts, sha256, () => parts.blobs.read(sha256))
      if (content) return tarEntry(`blobs/${sha256}`, content, createdAt)
      onMissing()
      return Buffer.alloc(0)
    }),
  )
  return Buffer.concat(entries)
}

async function* large(
  parts: BackupParts,
  { createdAt }: Plan,
  { sha256, size }: Named,
  onMissing: () => void,
): AsyncGenerator<Buffer> {
  // Read twice: once its header is on the way, nothing can be left out any more.
  if ((await parts.blobs.verify(sha256)) !== 'sound') return onMissing()
  const content = await parts.blobs.open(sha256)
  if (!content) return onMissing()
  yield tarHeader(`blobs/${sha256}`, size, createdAt)
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
