import { type ChildProcess, fork } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface GitResult {
  readonly ok: boolean
  /** Both, as somebody at a terminal sees them. */
  readonly said: string
  readonly stdout: string
}

export interface WorkTree {
  readonly folder: string
  git(...args: string[]): Promise<GitResult>
  /** Throws unless it went well. */
  must(...args: string[]): Promise<string>
  write(path: string, text: string): Promise<void>
  link(path: string, target: string): Promise<void>
  /** Everything that is there, in a commit; answers its id. */
  commit(message?: string): Promise<string>
}

const env = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@aloft.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@aloft.test',
}

/** What the process that runs git is told to do, and what it answers. */
export interface GitOrder {
  readonly id: number
  readonly folder: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}
export interface GitAnswer {
  readonly id: number
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

let starter: ChildProcess | undefined
let orders = 0
const waiting = new Map<number, (answer: GitAnswer) => void>()

/**
 * One process runs git for all tests of this one. To start a program takes a process longer the more memory it has, and one that
 * has a server and its tests in it needs five times as long as one that has nothing.
 */
function openStarter(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'git-starter.ts'), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('message', (answer: GitAnswer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
    // A process of tests ends when nothing is under way.
    if (waiting.size === 0) child.channel?.unref()
  })
  child.once('exit', () => {
    starter = undefined
    for (const [id, settle] of waiting)
      settle({ id, ok: false, stdout: '', stderr: 'the process that runs git has ended' })
    waiting.clear()
  })
  child.unref()
  return child
}

export async function runGit(folder: string, ...args: string[]): Promise<GitResult> {
  starter ??= openStarter()
  const order: GitOrder = { id: ++orders, folder, args, env }
  const answered = new Promise<GitAnswer>((resolve) => waiting.set(order.id, resolve))
  starter.channel?.ref()
  starter.send(order)
  const { ok, stdout, stderr } = await answered
  return { ok, said: `${stdout}${stderr}`, stdout }
}

/** A repository of somebody at their desk, with what the real git is told to do in it. */
export async function workTree(
  t: { after(end: () => Promise<void>): unknown },
  { branch = 'main', ...files }: Record<string, string> = {},
): Promise<WorkTree> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-git-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const git = (...args: string[]) => runGit(folder, ...args)
  const must = async (...args: string[]) => {
    const { ok, said, stdout } = await git(...args)
    if (!ok) throw new Error(`git ${args.join(' ')}: ${said}`)
    return stdout.trim()
  }
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await must('init', '-q', '-b', branch)
  for (const [path, text] of Object.entries(files)) await write(path, text)
  return {
    folder,
    git,
    must,
    write,
    link: (path, target) => symlink(target, join(folder, path)),
    async commit(message = 'A change') {
      await must('add', '-A')
      await must('commit', '-q', '--allow-empty', '-m', message)
      return must('rev-parse', 'HEAD')
    },
  }
}
