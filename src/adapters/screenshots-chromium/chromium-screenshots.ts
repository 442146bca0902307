import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { SECOND } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox, SandboxedProcess, SandboxRun } from '#core/ports/sandbox.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import { imageTypeOf } from '#core/preview/image-type.ts'

const LAUNCHER = fileURLToPath(new URL('../../launcher/screenshots', import.meta.url))
const MB = 2 ** 20

/** What a picture may take at most; what it weighs is for the launcher to see to. */
const LARGEST = 200 * 1000

const LIMITS: Omit<SandboxRun['limits'], 'wallMs'> = {
  memoryBytes: 1024 * MB,
  cpus: 2,
  // It is over in a moment, and in a sandbox that may take no longer.
  share: 1,
  processes: 256,
  tmpBytes: 256 * MB,
  outputBytes: MB,
}

interface ChromiumScreenshotsOptions {
  /** Has to be a real one. */
  readonly sandbox: Sandbox
  /** The program of the browser. */
  readonly chromium: string
  /** The folders that it needs besides what every sandbox sees. */
  readonly needs: readonly string[]
  readonly log: Log
  /** For one picture, from the start of the browser. */
  readonly wallMs?: number
}

/**
 * Chromium in a sandbox of its own for each picture: no network but a pipe to the one site, no files of this machine
 * but programs and fonts, limited memory and time, and nothing of it left afterwards. Whatever comes out of it is
 * taken for an image only where it is one.
 */
export function createChromiumScreenshots({
  sandbox,
  chromium,
  needs,
  log,
  wallMs = 15 * SECOND,
}: ChromiumScreenshotsOptions): Screenshots {
  const node = dirname(process.execPath)
  const shown = [...needs, dirname(chromium)].filter((folder) => !/^\/usr\//.test(folder))
  let last: Promise<unknown> = Promise.resolve()

  async function shoot(host: string, socket: string, signal: AbortSignal): Promise<Buffer | undefined> {
    signal.throwIfAborted()
    const run = sandbox.spawn({
      argv: ['/opt/node/node', '/opt/screenshots/main.cjs', chromium, host, '/opt/site/site.sock'],
      cwd: '/tmp',
      env: { PATH: '/opt/node:/usr/bin:/bin', HOME: '/tmp' },
      binds: [
        { host: node, inside: '/opt/node', writable: false },
        { host: LAUNCHER, inside: '/opt/screenshots', writable: false },
        { host: dirname(socket), inside: '/opt/site', writable: false },
        ...shown.map((folder) => ({ host: folder, inside: folder, writable: false })),
      ],
      limits: { ...LIMITS, wallMs },
      network: 'none',
      signal,
    })
    const [picture, said, exit] = await Promise.all([buffer(run.stdout), buffer(run.stderr), ending(run)])
    if (exit === 0) return picture
    log.debug({ host, exit, said: said.toString('utf8').slice(-1000) }, 'no picture was taken')
    return undefined
  }

  return {
    photograph({ host, socket }, signal) {
      // One at a time: each takes as much as a build.
      const taken = last.then(() => shoot(host, socket, signal))
      last = taken.catch(() => {})
      return taken.then((bytes) => {
        const isPicture = bytes && bytes.length <= LARGEST && imageTypeOf(bytes, '') === 'image/webp'
        return isPicture ? { kind: 'screenshot', type: 'image/webp', bytes } : undefined
      })
    },
  }
}

const ending = async ({ exit }: SandboxedProcess): Promise<number | string> => {
  const { code, reason } = await exit
  return reason === 'exited' ? (code ?? reason) : reason
}
