import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '#cli/run.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')
/** Runs a program on a terminal, and ends as it does. */
const ON_TERMINAL = 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Somebody's machine: a home, a folder for their sites, and the command line. */
export interface Desk {
  /** A folder with these files; later calls add to it. */
  site(name: string, files: Readonly<Record<string, string>>): string
  start(folder: string, line: readonly string[]): ChildProcessByStdio<null, Readable, Readable>
  aloft(folder: string, ...line: readonly string[]): Promise<Outcome>
  /** The same within this process, which saves the start. */
  run(folder: string, ...line: readonly string[]): Promise<Outcome>
  /** The same on a terminal, where both outputs are one. */
  onTerminal(folder: string, ...line: readonly string[]): Promise<{ code: number; screen: string }>
  clear(): void
}

export function openDesk(baseUrl: string, token: string, more: Readonly<Record<string, string>> = {}): Desk {
  const home = mkdtempSync(join(tmpdir(), 'aloft-desk-'))
  const env = { PATH: process.env.PATH, HOME: home, ALOFT_BASE_URL: baseUrl, ALOFT_TOKEN: token, ...more }

  async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Outcome> {
    const exit = once(child, 'exit') as Promise<[number | null]>
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
    return { code: code ?? -1, stdout, stderr }
  }

  const desk: Desk = {
    site(name, files) {
      const folder = join(home, name)
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
      return folder
    },
    start: (folder, line) =>
      spawn(process.execPath, [MAIN, ...line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    aloft: (folder, ...line) => ended(desk.start(folder, line)),
    async run(folder, ...line) {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      const written = Promise.all([text(stdout), text(stderr)])
      const code = await run({ argv: line, env, cwd: folder, stdin: stdin.end(), stdout, stderr })
      stdout.end()
      stderr.end()
      const [out, err] = await written
      return { code, stdout: out, stderr: err }
    },
    async onTerminal(folder, ...line) {
      const child = spawn('python3', ['-c', ON_TERMINAL, process.execPath, MAIN, ...line], {
        cwd: folder,
        env: { ...env, TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const { code, stdout } = await ended(child)
      return { code, screen: stdout }
    },
    clear: () => rmSync(home, { recursive: true }),
  }
  return desk
}
