import { PassThrough, pipeline, Readable } from 'node:stream'
import { HOUR } from '#contract/time.ts'
import { pourWhole } from '#core/chunks.ts'
import {
  GitError,
  type GitHttpAnswer,
  type GitHttpRequest,
  type GitRepositories,
} from '#core/git/git-repositories.ts'
import type { Confine } from './confine.ts'
import { startGit } from './run-git.ts'

const MAX_HEAD = 64 * 1024

/** Old histories have warts that harm nobody; everything else that fsck finds is refused. */
const HARMLESS = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'zeroPaddedFilemode',
  'missingNameBeforeEmail',
  'missingEmail',
  'missingSpaceBeforeEmail',
  'badDate',
  'badDateOverflow',
] as const

const settings = (maxBytes: number): Record<string, string> => ({
  'http.receivepack': 'true',
  'http.uploadpack': 'true',
  'receive.advertisePushOptions': 'true',
  'receive.advertiseAtomic': 'true',
  'receive.denyNonFastForwards': 'false',
  'receive.denyDeletes': 'false',
  'receive.denyDeleteCurrent': 'ignore',
  'receive.denyCurrentBranch': 'ignore',
  'receive.fsckObjects': 'true',
  'receive.shallowUpdate': 'true',
  'receive.maxInputSize': String(maxBytes),
  'uploadpack.allowFilter': 'true',
  ...Object.fromEntries(HARMLESS.map((name) => [`receive.fsck.${name}`, 'ignore'])),
})

/** Runs `git http-backend` as a web server runs a CGI program. */
export async function serveHttp(
  confine: () => Promise<Confine>,
  folder: string,
  { method, path, query, contentType, protocol, body, maxBytes, signal }: GitHttpRequest,
): Promise<GitHttpAnswer> {
  const { child, ended } = await startGit(confine, {
    folder,
    writable: path === '/git-receive-pack',
    args: ['http-backend'],
    config: settings(maxBytes),
    // A pack is stored with what it only names of the repository.
    ...(path === '/git-receive-pack' ? { maxFileBytes: maxBytes } : {}),
    timeoutMs: HOUR,
    signal,
    env: {
      GIT_PROJECT_ROOT: folder,
      PATH_INFO: path,
      REQUEST_METHOD: method,
      QUERY_STRING: query,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_HTTP_MAX_REQUEST_BUFFER: '10M',
      REMOTE_USER: 'aloft',
      REMOTE_ADDR: '127.0.0.1',
      ...(contentType === undefined ? {} : { CONTENT_TYPE: contentType }),
      ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
    },
  })
  if (body === undefined) child.stdin.end()
  else pourWhole(Readable.from(body, { objectMode: false }), child.stdin, () => undefined)
  const output = child.stdout
  const { status, headers, rest } = await readHead(output).catch(async (error: unknown) => {
    child.kill('SIGKILL')
    await ended
    throw error
  })
  const through = new PassThrough()
  if (rest.length > 0) through.write(rest)
  pipeline(output, through, () => undefined)
  return { status, headers, body: through, ended }
}

/** Runs `git upload-pack` for a client that it speaks with in turns. */
export async function serveUpload(
  confine: () => Promise<Confine>,
  folder: string,
  { input, protocol, signal }: Parameters<GitRepositories['uploadPack']>[1],
): ReturnType<GitRepositories['uploadPack']> {
  const { child, ended } = await startGit(confine, {
    folder,
    args: ['upload-pack', '--strict', folder],
    config: { 'uploadpack.allowFilter': 'true' },
    timeoutMs: HOUR,
    signal,
    env: protocol === undefined ? {} : { GIT_PROTOCOL: protocol },
  })
  pourWhole(Readable.from(input, { objectMode: false }), child.stdin, () => undefined)
  return { output: child.stdout, ended }
}

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What was read beyond it. */
  readonly rest: Buffer
}

async function readHead(output: Readable): Promise<Head> {
  let held = Buffer.alloc(0)
  for (;;) {
    const chunk = output.read() as Buffer | null
    if (chunk === null) {
      if (output.readableEnded || output.destroyed) throw new GitError('git gave no answer')
      await new Promise<void>((resolve) => {
        const done = () => {
          output.off('readable', done).off('end', done).off('close', done)
          resolve()
        }
        output.on('readable', done).on('end', done).on('close', done)
      })
      continue
    }
    held = Buffer.concat([held, chunk])
    const end = held.indexOf('\r\n\r\n')
    if (end !== -1) return { ...parseHead(held.toString('latin1', 0, end)), rest: held.subarray(end + 4) }
    if (held.length > MAX_HEAD) throw new GitError('git gave an answer without an end of its head')
  }
}

function parseHead(text: string): Omit<Head, 'rest'> {
  const headers: Record<string, string> = {}
  let status = 200
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    if (name === 'status') status = Number.parseInt(value, 10)
    else headers[name] = value
  }
  return { status, headers }
}
