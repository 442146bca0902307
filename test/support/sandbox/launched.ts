import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'

interface Message {
  readonly type: string
  readonly [name: string]: unknown
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Program {
  readonly files: Readonly<Record<string, string>>
  readonly entry?: string
  readonly shape?: 'handler' | 'web' | 'edge' | 'command'
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly compileCache?: string
  /** Seconds. */
  readonly maxDuration?: number
  /** Given where it shares the network of this machine with other programs. */
  readonly hostNetwork?: object
  /** Whether the launcher was started before it was known for what, as those that wait are; others know of their program. */
  readonly waits?: boolean
}

/** Other versions than the usual ones can be named, to test with them. */
const { ALOFT_TEST_NODE = process.execPath, ALOFT_TEST_PYTHON = 'python3' } = process.env

const LAUNCHERS = {
  node: [ALOFT_TEST_NODE, join(import.meta.dirname, '../../../src/launcher/node/main.cjs')],
  python: [ALOFT_TEST_PYTHON, join(import.meta.dirname, '../../../src/launcher/python/main.py')],
} as const

/** A launcher that runs as an ordinary process, and the runner's end of the line to it. */
class Launched {
  readonly messages: Message[] = []
  readonly folder: string
  readonly process: ChildProcess
  readonly exit: Promise<number | null>
  /** What went to the pipes. */
  readonly stdout: Promise<string>
  readonly stderr: Promise<string>
  readonly #arrivals = new EventEmitter()
  #control: Socket | undefined

  constructor(
    runtime: keyof typeof LAUNCHERS,
    folder: string,
    { hostNetwork, waits, shape }: Pick<Program, 'hostNetwork' | 'waits' | 'shape'>,
  ) {
    this.folder = folder
    const [program, file] = LAUNCHERS[runtime]
    this.process = spawn(program, [file], {
      env: {
        ...{ PATH: process.env.PATH, HOME: tmpdir(), ALOFT_RUN_DIR: folder },
        ALOFT_LAUNCH: waits ? '1' : shape === 'command' ? 'command' : 'now',
        ...(hostNetwork && { ALOFT_HOST_NETWORK: JSON.stringify(hostNetwork) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, as the runner gives it one.
      detached: true,
    })
    this.exit = once(this.process, 'exit').then(([code]) => code)
    this.stdout = text(this.process.stdout as NodeJS.ReadableStream)
    this.stderr = text(this.process.stderr as NodeJS.ReadableStream)
  }

  /** Nothing tells that a socket has appeared. */
  async connect(): Promise<void> {
    for (;;) {
      if (this.process.exitCode !== null) throw new Error(`The launcher ended: ${await this.stderr}`)
      const socket = connect(join(this.folder, 'control.sock'))
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      if (connected) {
        this.#control = socket
        break
      }
      await setTimeout(10)
    }
    this.#control.on('error', () => {})
    createInterface({ input: this.#control, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      this.messages.push(JSON.parse(line))
      this.#arrivals.emit('message')
    })
  }

  say(message: Message): void {
    this.#control?.write(`${JSON.stringify(message)}\n`)
  }

  hangUp(): void {
    this.#control?.destroy()
  }

  /** The first message that fits, whether it has come or is still to come. */
  async heard(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits)
      if (found) return found
      await once(this.#arrivals, 'message')
    }
  }

  heardOf = (type: string): Promise<Message> => this.heard((message) => message.type === type)

  get http(): string {
    return join(this.folder, 'http.sock')
  }

  open(
    path: string,
    { headers, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
  ): ClientRequest {
    return request({ socketPath: this.http, path, method, headers: { host: 'site.test', ...headers } })
  }

  async fetch(
    path: string,
    options: { headers?: Record<string, string>; method?: string; body?: string | Buffer } = {},
  ): Promise<Answer> {
    const req = this.open(path, options)
    req.end(options.body)
    const [res] = await once(req, 'response')
    return { status: res.statusCode, headers: res.headers, body: await text(res) }
  }
}

/** Boots a launcher and has it load a program, without waiting for that. */
export async function launch(
  t: TestContext,
  { files, hostNetwork, waits, ...program }: Program,
  runtime: keyof typeof LAUNCHERS = 'node',
): Promise<Launched> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-launcher-'))
  const root = join(folder, 'task')
  for (const [name, content] of Object.entries({ 'package.json': '{}', ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  const launched = new Launched(runtime, folder, {
    ...(hostNetwork && { hostNetwork }),
    waits: waits ?? program.shape !== 'command',
    ...(program.shape && { shape: program.shape }),
  })
  t.after(async () => {
    try {
      process.kill(-(launched.process.pid as number), 'SIGKILL')
    } catch {
      // Nothing is left of it.
    }
    await launched.exit
    await rm(folder, { recursive: true })
  })
  await launched.connect()
  await launched.heardOf('booted')
  launched.say({
    ...{ type: 'load', shape: 'handler', root, env: {}, maxDuration: 10, instanceId: 'i1' },
    ...{ entry: Object.keys(files)[0], ...program },
  })
  return launched
}

/** Boots a launcher with a program that must become ready. */
export async function start(
  t: TestContext,
  program: Program,
  runtime?: keyof typeof LAUNCHERS,
): Promise<Launched> {
  const launched = await launch(t, program, runtime)
  const { type, message, stack } = await launched.heard(
    (heard) => heard.type === 'ready' || heard.type === 'failed',
  )
  if (type === 'failed') throw new Error(`${message}\n${stack}`)
  return launched
}
