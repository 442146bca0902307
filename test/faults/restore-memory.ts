import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { type Installation, install } from '#test/support/installation.ts'
import { peakOf } from '#test/support/process/peak-memory.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { ask } from './load/client.ts'

const CLI = resolve(import.meta.dirname, '../../bin/aloft.js')
/** In MB: what a program of Node uses by itself, and some; however much is restored. */
export const MOST_MEMORY = 400
/** Of a serving process, which took all of the uploads too and keeps contents in memory that it has room for. */
export const MOST_SERVING = 1024
const FILE_MB = 32
const AT_ONCE = 4
/** Nobody measures how long it takes: the machine may be busy with much else. */
const LONGEST_UPLOAD_MS = 300_000

/** Runs a command of ours to its end; answers the most memory it used, in MB. */
async function peakDuring(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const said = child.stderr.setEncoding('utf8').toArray()
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, (await peakOf(child.pid as number)) ?? 0)
    await Promise.race([exited, new Promise((wait) => setTimeout(wait, 50))])
  }
  if (child.exitCode !== 0) throw new Error(`aloft ${args.join(' ')} failed:\n${(await said).join('')}`)
  return peak
}

/** In MB, the most memory that each used; and how long backup and restore took together. */
interface RestoreMeasure {
  readonly backup: number
  readonly serving: number
  readonly restore: number
  readonly seconds: number
}

/** Saves and restores an installation with so many megabytes of files. */
export async function measureRestore(megabytes: number): Promise<RestoreMeasure> {
  const aloft = await install({ env: { ALOFT_WORKERS: '1', ALOFT_RATE_LIMIT: '1000000' } })
  const folder = await mkdtemp(join(tmpdir(), 'aloft-restore-'))
  try {
    const stored: string[] = []
    const files = Math.ceil(megabytes / FILE_MB)
    const uploads = Array.from({ length: AT_ONCE }, async (_, first) => {
      for (let n = first; n < files; n += AT_ONCE) stored.push(await upload(aloft))
    })
    await Promise.all(uploads)
    const env = {
      ...{ PATH: process.env.PATH, HOME: folder },
      ...{ ALOFT_BASE_URL: aloft.url, ALOFT_TOKEN: aloft.token },
    }
    const began = performance.now()
    const saved = join(folder, 'saved.tar')
    const backup = await peakDuring(['operator', 'backup', '--with-key', '--output', saved], folder, env)
    const [pid = 0] = await aloft.children('serve')
    const serving = (await peakOf(pid)) ?? Number.NaN
    // The disk need not hold all of it three times.
    await aloft.remove()
    const target = join(folder, 'restored')
    const restore = await peakDuring(['operator', 'restore', saved, '--data-dir', target], folder, env)
    const seconds = Math.round((performance.now() - began) / 1000)
    const blobs = await createFsBlobStore({
      ...{ folder: join(target, 'blobs'), clock: systemClock, log: silentLog },
    })
    for (const sha256 of stored) {
      const content = await blobs.open(sha256)
      if (content === undefined) throw new Error(`${sha256} was not restored`)
      const hash = createHash('sha256')
      for await (const chunk of content) hash.update(chunk)
      if (hash.digest('hex') !== sha256) throw new Error(`${sha256} was not restored as it was`)
    }
    return { backup, serving, restore, seconds }
  } finally {
    await aloft.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** One file, of which there is none like it; answers its SHA-256. */
async function upload(aloft: Installation): Promise<string> {
  const body = randomBytes(FILE_MB * 2 ** 20)
  const headers = {
    authorization: `Bearer ${aloft.token}`,
    'x-platform-digest': createHash('sha1').update(body).digest('hex'),
  }
  const { status } = await ask({
    ...{ port: aloft.port, host: 'localhost', path: '/v2/platform/files', method: 'POST' },
    ...{ timeoutMs: LONGEST_UPLOAD_MS, headers, body },
  })
  if (status !== 200) throw new Error(`an upload answered ${status}`)
  return createHash('sha256').update(body).digest('hex')
}
