import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { extract } from 'tar-stream'
import type { OutputContent, Program } from '#core/output/output.ts'
import { BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import type { RunOptions } from '../environment/workspace.ts'
import type { Collection } from './collect.ts'
import { packJob } from './inside/pack-job.ts'

interface Ends {
  after(fn: () => Promise<void>): void
}

/** A file's content, an object as JSON, or where a link points. */
export type Fixture = Readonly<Record<string, string | object | { readonly link: string }>>

export const link = (to: string) => ({ link: to })

/** How a test runs the packing script; the results are in the folder that is bound to be written. */
type RunScript = (options: RunOptions, source: string) => Promise<number>

export interface TestCollection extends Collection {
  readonly source: string
  readonly logged: string[]
  read(content: OutputContent): Buffer
}

/** Somewhere to collect from that is a folder of this machine, and to where that is memory. */
export async function collectionOf(
  t: Ends,
  files: Fixture,
  runScript: RunScript = runHere,
): Promise<TestCollection> {
  const root = await mkdtemp(join(tmpdir(), 'aloft-output-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const source = join(root, 'source')
  await write(source, files)
  const contents = new Map<string, Buffer>()
  const logged: string[] = []
  const keep = (bytes: Buffer) => {
    const [sha1, sha256] = ['sha1', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'))
    contents.set(sha256 as string, bytes)
    return { sha1: sha1 as string, sha256: sha256 as string, size: bytes.length }
  }
  let folders = 0
  return {
    source,
    logged,
    read: ({ sha256 }) => contents.get(sha256) ?? Buffer.alloc(0),
    node: { folder: dirname(dirname(process.execPath)), node: '/opt/node/bin/node', version: '24.x' },
    log: { command: async () => {}, stdout: async () => {} },
    blobs: {
      put: async (from) => keep(await buffer(from as Readable)),
      putBytes: async (bytes) => keep(Buffer.from(bytes)),
    },
    workspace: {
      // Only its signal is looked at, and never where there is none.
      task: {} as BuildTask,
      env: { NODE_OPTIONS: '--no-such-option', SECRET: '1' },
      note: async (_log, line) => void logged.push(line),
      run: async (options) => ({ code: await runScript(options, source), reason: 'exited' }),
      folder: async (name) => {
        const folder = join(root, `${name}-${folders++}`)
        await mkdir(folder)
        return folder
      },
    },
  }
}

async function write(source: string, files: Fixture): Promise<void> {
  await mkdir(source, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    const to = join(source, path)
    await mkdir(dirname(to), { recursive: true })
    if (typeof content === 'object' && 'link' in content) await symlink(String(content.link), to)
    else await writeFile(to, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** Without a process of its own, which would take most of the time of a test. */
async function runHere({ argv }: RunOptions, source: string): Promise<number> {
  await packJob(source, argv.at(-1) as string)
  return 0
}

/** The entries of a program's archive: contents, or `→ target` for links. */
export async function unpacked(
  collection: TestCollection,
  program: Pick<Program, 'archive'>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const tar = extract()
  Readable.from([collection.read(program.archive)]).pipe(tar as unknown as NodeJS.WritableStream)
  for await (const entry of tar) {
    const bytes = await buffer(entry as AsyncIterable<Buffer>)
    found[entry.header.name] =
      entry.header.type === 'symlink' ? `→ ${entry.header.linkname}` : bytes.toString('utf8')
  }
  return found
}

/** What a program's handler answers, called in a folder of its own and by another process. */
export async function answerOf(t: Ends, collection: TestCollection, program: Program): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-program-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const entries = Object.entries(await unpacked(collection, program))
  await write(
    folder,
    Object.fromEntries(
      entries.map(([path, text]) => [path, text.startsWith('→ ') ? link(text.slice(2)) : text]),
    ),
  )
  const call = `import(process.argv[1]).then((m) => {
    const handler = [m.default?.default, m.default].find((h) => typeof h === 'function')
    handler({}, { end: (text) => console.log(String(text)) })
  })`
  const args = ['-e', call, join(folder, program.entry)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  return stdout.trimEnd()
}

/** For `assert.rejects`. */
export const fails = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof BuildFailure, String(error))
  assert.equal(error.code, code)
  assert.match(error.message, message)
  return true
}
