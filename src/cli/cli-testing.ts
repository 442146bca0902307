import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startTestApi, type TestAnswer, type TestApi } from '#client/client-testing.ts'
import { authPath } from './config/auth-file.ts'
import { type Link, writeLink } from './config/link-file.ts'
import { openLinkedFolders } from './config/linked-folders.ts'
import type { Terminal } from './prompt.ts'
import { run } from './run.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Vars = Readonly<Record<string, string>>

/** A machine with its own home, and an installation for it to talk to. */
export interface TestMachine {
  readonly api: TestApi
  /** Also the folder that commands are started in. */
  readonly home: string
  /** Runs the command line as somebody would who has set nothing but what is given. */
  aloft(line: readonly string[], env?: Vars): Promise<Outcome>
  /** The same within this process, which saves the start; `input` is on stdin, which is no terminal. */
  run(line: readonly string[], env?: Vars, input?: string): Promise<Outcome>
  /** The same at a terminal, where every question gets the answer. */
  answer(text: string, line: readonly string[], env?: Vars): Promise<Outcome>
  /** Links the folder, as its person has done before. */
  link(link: Link): void
  start(line: readonly string[], env?: Vars): ChildProcessByStdio<null, Readable, Readable>
  [Symbol.asyncDispose](): Promise<void>
}

export const TOKEN = 'tok0123456789abcdefghijk'

/** A person as the API answers them. */
export const sampleUser = {
  id: 'u1',
  uid: 'u1',
  email: 'jo@example.com',
  username: 'jo',
  name: null,
  avatar: null,
  createdAt: 1,
  plan: 'pro' as const,
  softBlocked: false,
  operator: false,
}

export async function startMachine(...table: readonly TestAnswer[]): Promise<TestMachine> {
  const api = await startTestApi(table)
  const home = mkdtempSync(join(tmpdir(), 'aloft-cli-'))
  const base = { HOME: home, ALOFT_BASE_URL: api.baseUrl }

  async function runHere(line: readonly string[], env: Vars, stdin: Terminal['input'], isTTY: boolean) {
    const stdout = new PassThrough()
    const stderr = Object.assign(new PassThrough(), { isTTY })
    const written = Promise.all([text(stdout), text(stderr)])
    const code = await run({ argv: line, env: { ...base, ...env }, cwd: home, stdin, stdout, stderr })
    stdout.end()
    stderr.end()
    const [out, err] = await written
    return { code, stdout: out, stderr: err }
  }

  const machine: TestMachine = {
    api,
    home,
    start: (line, env = {}) =>
      spawn(process.execPath, [MAIN, ...line], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...base, ...env },
        cwd: home,
      }),
    async aloft(line, env) {
      const child = machine.start(line, env)
      const exit = once(child, 'exit')
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
      return { code, stdout, stderr }
    },
    async run(line, env = {}, input = '') {
      const stdin = new PassThrough()
      stdin.end(input)
      return runHere(line, env, stdin, false)
    },
    async answer(said, line, env = {}) {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      stdin.write(`${said}\n`)
      return runHere(line, { TERM: 'dumb', ...env }, stdin, true)
    },
    link(link) {
      writeLink(home, link)
      openLinkedFolders(authPath(base)).remember(home, link)
    },
    async [Symbol.asyncDispose]() {
      await api.stop()
      rmSync(home, { recursive: true })
    },
  }
  return machine
}
