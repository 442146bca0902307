import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MINUTE, SECOND } from '#contract/time.ts'
import { ImageFailure, type ImageRequest, type Images } from '#core/ports/images.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox, SandboxedProcess } from '#core/ports/sandbox.ts'

const LAUNCHER = fileURLToPath(new URL('../../launcher/images', import.meta.url))
const MB = 2 ** 20
const MAX_PIXELS = 50_000_000
/** Whoever would wait for more than this many others is told to come back. */
const MOST_WAITING = 500

/** For one image. */
const LIMIT_MS = 15 * SECOND
/** After which a process that nobody asks is ended. */
const IDLE_MS = MINUTE

interface SharpImagesOptions {
  /** Opened when the first image is asked for. */
  readonly openSandbox: () => Promise<Sandbox>
  readonly log: Log
  readonly atOnce?: number
}

interface Worker {
  readonly socket: string
  readonly process: SandboxedProcess
}

/** Sharp in one sandboxed process, which is there only while images are asked for. */
export function createSharpImages({
  openSandbox,
  log,
  // Sites are served beside it.
  atOnce = Math.max(1, Math.floor(availableParallelism() / 2)),
}: SharpImagesOptions): Images {
  let sandbox: Promise<Sandbox> | undefined
  let worker: Promise<Worker> | undefined
  let idle: NodeJS.Timeout | undefined
  let running = 0
  let isClosed = false
  const waiting: (() => void)[] = []

  async function start(): Promise<Worker> {
    sandbox ??= openSandbox()
    const open = await sandbox
    const modules = modulesOf(createRequire(import.meta.url).resolve('sharp'))
    const folder = await mkdtemp(join(tmpdir(), 'aloft-images-'))
    const shared = join(folder, 'run')
    await mkdir(shared, { mode: 0o755 })
    const isBare = open.kind === 'none'
    const script = isBare ? join(LAUNCHER, 'main.mjs') : '/opt/images/main.mjs'
    const inside = isBare ? shared : '/opt/run'
    const node = isBare ? process.execPath : '/opt/node/node'
    const child = open.spawn({
      argv: [node, '--max-old-space-size=128', script, join(inside, 'images.sock'), String(MAX_PIXELS)],
      cwd: '/tmp',
      env: { PATH: '/opt/node:/usr/bin:/bin', HOME: '/tmp' },
      binds: [
        { host: dirname(process.execPath), inside: '/opt/node', writable: false },
        { host: modules, inside: '/opt/node_modules', writable: false },
        { host: LAUNCHER, inside: '/opt/images', writable: false },
        { host: shared, inside: '/opt/run', writable: true },
      ],
      limits: {
        ...{ memoryBytes: 768 * MB, cpus: atOnce, processes: 64, tmpBytes: 64 * MB },
        // Whoever waits for an image waits longer than whoever waits for a page: what is left of the CPU is enough.
        wallMs: Number.POSITIVE_INFINITY,
      },
      network: 'none',
    })
    const begun: Worker = { socket: join(shared, 'images.sock'), process: child }
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-1000)
    })
    const over = child.exit.then(
      ({ code, reason }) => `it ended (${reason}, ${code}): ${said}`,
      (error: Error) => error.message,
    )
    void over.then(async () => {
      if ((await worker?.catch(() => undefined)) === begun) worker = undefined
      await rm(folder, { recursive: true, force: true }).catch(() => {})
    })
    const failed = await Promise.race([once(child.stdout, 'data').then(() => undefined), over])
    if (failed !== undefined) throw new ImageFailure('unavailable', `Images cannot be made here: ${failed}`)
    child.stdout.resume()
    return begun
  }

  function runningWorker(): Promise<Worker> {
    worker ??= start().catch((error: unknown) => {
      worker = undefined
      log.error({ err: error }, 'what makes images smaller could not be started')
      throw error instanceof ImageFailure
        ? error
        : new ImageFailure('unavailable', 'Images cannot be made here', { cause: error })
    })
    return worker
  }

  async function turn(): Promise<void> {
    clearTimeout(idle)
    if (running < atOnce) {
      running++
      return
    }
    if (waiting.length >= MOST_WAITING) throw new ImageFailure('busy', 'Too many images are waited for')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function done(): void {
    const next = waiting.shift()
    if (next !== undefined) {
      next()
      return
    }
    running--
    if (running === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref()
  }

  async function stop(): Promise<void> {
    const ending = await worker?.catch(() => undefined)
    worker = undefined
    ending?.process.kill()
    await ending?.process.exit.catch(() => {})
  }

  /** The image, or undefined where the process died before all of it was there. */
  async function ask(source: Buffer, request: ImageRequest): Promise<Buffer | undefined> {
    if (isClosed) throw new ImageFailure('busy', 'The process is stopping')
    const asked = runningWorker()
    const { socket, process: child } = await asked
    const connection = connect(socket)
    const late = setTimeout(() => {
      connection.destroy(new ImageFailure('busy', 'The image took too long'))
      // Whatever it does with that image, it does no more.
      if (worker === asked) worker = undefined
      child.kill()
    }, LIMIT_MS)
    try {
      connection.write(`${JSON.stringify(request)}\n`)
      connection.end(source)
      const parts: Buffer[] = []
      for await (const part of connection) parts.push(part as Buffer)
      const image = read(Buffer.concat(parts))
      if (image !== undefined) return image
    } catch (error) {
      if (error instanceof ImageFailure) throw error
    } finally {
      clearTimeout(late)
    }
    // The next who ask must not find it either.
    if (worker === asked) worker = undefined
    child.kill()
    return undefined
  }

  return {
    async convert(source, request) {
      await turn()
      try {
        // It may have died of another image, or have been killed. An image that brings it down twice is broken, unless
        // somebody else's was in it each time.
        let wasAlone = false
        for (let attempt = 0; attempt < 2; attempt++) {
          const isFirst = running === 1
          const image = await ask(source, request)
          if (image !== undefined) return image
          wasAlone ||= isFirst && running === 1
        }
        throw wasAlone
          ? new ImageFailure('unreadable', 'The image brought down what read it')
          : new ImageFailure('busy', 'What converts images ended twice while this one was in it')
      } finally {
        done()
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idle)
      await stop()
      await (await sandbox?.catch(() => undefined))?.close()
    },
  }
}

/** The folder of packages that a file of sharp is in. */
const modulesOf = (file: string): string =>
  file.slice(0, file.lastIndexOf(join('/node_modules', 'sharp')) + 13)

/** A connection also ends where the process is killed, so that only what is as long as it says is whole. */
function read(answer: Buffer): Buffer | undefined {
  const line = answer.indexOf(10)
  if (line < 0) return undefined
  const { error, bytes } = JSON.parse(answer.toString('utf8', 0, line)) as {
    readonly error?: string
    readonly bytes?: number
  }
  const image = answer.subarray(line + 1)
  if (error === undefined) return image.length === bytes ? image : undefined
  throw new ImageFailure(/pixel limit/i.test(error) ? 'too_large' : 'unreadable', error)
}
