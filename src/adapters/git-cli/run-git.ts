import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import { MINUTE } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import type { Confine } from './confine.ts'
import { gitEnvironment } from './git-environment.ts'

export interface GitRun {
  /** What follows the word `git`. */
  readonly args: readonly string[]
  /** The repository: all that the run sees of what is stored. */
  readonly folder: string
  readonly writable?: boolean
  readonly network?: boolean
  readonly config?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /**
   * The largest file that it may write, such as a pack that is fetched: git has no limit of its own for these. Files of up to
   * a megabyte may always be written.
   */
  readonly maxFileBytes?: number
  /** The most memory that it may take: a pack of a few bytes can hold a tree of many gigabytes. */
  readonly maxMemoryBytes?: number
  /** Of the output, where it is collected. */
  readonly maxBytes?: number
  /** How much of the beginning of the output is wanted: the rest is not waited for. */
  readonly firstBytes?: number
}

type GitChild = ChildProcessByStdio<Writable, Readable, Readable>

const TIMEOUT = 2 * MINUTE
const MAX_OUTPUT = 256 * 1024 * 1024
const MAX_WORDS = 4000
const MAX_MEMORY = 1024 * 1024 * 1024
/** What git writes besides packs, such as refs, is never larger. */
const SMALL_FILE = 1024 * 1024
const OUT_OF_MEMORY = /out of memory|cannot allocate memory/i
/** What git says of a part of it that came to the limit of a file: SIGXFSZ, or its error. */
const TOO_LARGE = /died of signal 25|File too large|File size limit exceeded/
/** The same where it does not say how that part ended, which had nothing to say itself: of a pack that is damaged it does. */
const ENDED_SILENTLY = 'fatal: fetch-pack: invalid index-pack output'

interface StartedGit {
  readonly child: GitChild
  /** Rejects unless it ended well. */
  readonly ended: Promise<void>
}

export function startGit(confine: () => Promise<Confine>, run: GitRun): Promise<StartedGit> {
  return confine().then((wrap) => begin(wrap, run))
}

function begin(wrap: Confine, run: GitRun): StartedGit {
  const { args, folder, writable = false, network = false, maxFileBytes } = run
  const bound = maxFileBytes === undefined ? undefined : Math.max(maxFileBytes, SMALL_FILE)
  const limits = [
    `--data=${run.maxMemoryBytes ?? MAX_MEMORY}`,
    ...(bound === undefined ? [] : [`--fsize=${bound}`]),
  ]
  const argv = ['prlimit', ...limits, '--', 'git', ...args]
  const [program, ...rest] = wrap(argv, { folder, writable, network }) as [string, ...string[]]
  const child = spawn(program, rest, {
    cwd: '/',
    env: { ...gitEnvironment(run.config), ...run.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: run.signal,
    killSignal: 'SIGKILL',
    timeout: run.timeoutMs ?? TIMEOUT,
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (words.length < MAX_WORDS) words += text
  })
  // A program that ended without reading everything is no fault of this one.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new GitError(`git could not be run: ${error.message}`, { cause: error })),
    )
    child.once('close', (code, signal) => {
      if (code === 0) return resolve()
      if (bound !== undefined && (TOO_LARGE.test(words) || endedSilently(words)))
        return reject(
          new GitError(
            `the repository is larger than ${showLimit(bound)}, the most that the storage of the account or ALOFT_GIT_MAX_PUSH allows`,
          ),
        )
      if (OUT_OF_MEMORY.test(words))
        return reject(new GitError('git needs more memory for it than it may take: an object is too large'))
      const said = inPlainWords(words.trim().slice(0, MAX_WORDS))
      reject(new GitError(said || `git ${args[0]} ended with ${signal ?? code}`))
    })
  })
  ended.catch(() => undefined)
  return { child, ended }
}

/** What comes before it is what a server says, which is a stranger's: it is looked at line by line, and each once. */
function endedSilently(words: string): boolean {
  const lines = words.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  return (
    lines.pop()?.trimEnd() === ENDED_SILENTLY && lines.every((line) => /^(?:remote|warning): /.test(line))
  )
}

/** That a host wants another token, git says by how it failed to ask somebody for one. */
const DENIED =
  /(?:could not read (?:username|password) for|authentication failed for) '([^']+)'|unable to access '([^']+)': the requested url returned error: 40[13]/i

export function inPlainWords(said: string): string {
  const [, asked, refused] = DENIED.exec(said) ?? []
  const host = URL.parse(asked ?? refused ?? '')?.hostname
  return host
    ? `${host} denied access to the repository: the token is missing or wrong, has expired, or may not read it`
    : said
}

/** All that git writes. */
export async function runGit(confine: () => Promise<Confine>, run: GitRun): Promise<Buffer> {
  const { child, ended } = await startGit(confine, run)
  child.stdin.end(run.input ?? '')
  const chunks: Buffer[] = []
  let size = 0
  const most = run.maxBytes ?? MAX_OUTPUT
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    size += chunk.length
    if (run.firstBytes !== undefined && size >= run.firstBytes) {
      child.kill('SIGKILL')
      return Buffer.concat([...chunks, chunk]).subarray(0, run.firstBytes)
    }
    if (size > most) {
      child.kill('SIGKILL')
      throw new GitError(`git ${run.args[0]} wrote more than ${showLimit(most)}`)
    }
    chunks.push(chunk)
  }
  await ended
  return Buffer.concat(chunks)
}
