import { execFile } from 'node:child_process'
import { lookup } from 'node:dns'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MINUTE } from '#contract/time.ts'
import { GitError, INCOMING } from '#core/git/git-repositories.ts'
import type { GitRemotes, RemoteAccess } from '#core/git/source/source.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { ASIDE, withAside } from './aside.ts'
import type { GitCliParts } from './git-repositories.ts'
import { assertOid, REPOSITORY_ID } from './git-repositories.ts'
import { inTurn } from './in-turn.ts'
import { createReach, FETCH, KNOWN_HOSTS } from './reach-remote.ts'
import { withSnapshot } from './remote-snapshot.ts'
import { runGit } from './run-git.ts'

interface GitRemoteParts extends GitCliParts {
  /** Whether a request on behalf of a user may go to an address. */
  readonly allows: Allows
  /** Looks up the addresses of a name. The system does it by default. */
  readonly resolve?: LookUpAll
  /** The largest repository that is fetched at once. */
  readonly maxBytes: number
}

const LIST_MS = MINUTE
const FETCH_MS = 20 * MINUTE
const MAX_REFS_BYTES = 32 * 1024 * 1024

export function createGitRemotes({
  folder,
  confine,
  allows,
  resolve = lookup,
  maxBytes,
}: GitRemoteParts): GitRemotes {
  const reach = createReach(allows, resolve)

  /** Runs with a folder of its own for what has to be a file. */
  const withFolder = <T>(at: string, work: (folder: string) => Promise<T>): Promise<T> =>
    withAside(join(at, ASIDE.remote), work)

  /**
   * Refs of a repository elsewhere become refs of one of ours: of each its newest commit alone, since that is what is
   * built, however long the history is.
   */
  async function bring(
    repository: string,
    access: RemoteAccess,
    refspecs: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    if (!REPOSITORY_ID.test(repository)) throw new GitError('a repository has no such id')
    const at = join(folder, `${repository}.git`)
    await withFolder(at, (within) =>
      inTurn(at, async () => {
        const near = await reach(access, within)
        await runGit(confine, {
          ...near,
          folder: at,
          writable: true,
          args: ['--git-dir', at, ...FETCH, '--prune', '--', access.url, ...refspecs],
          maxFileBytes: Math.min(maxBytes, access.maxBytes ?? maxBytes),
          timeoutMs: FETCH_MS,
          signal,
        })
      }),
    )
  }

  /** The refs that a repository elsewhere shows. */
  async function list(access: RemoteAccess, patterns: readonly string[], signal: AbortSignal) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return withFolder(folder, async (within) => {
      const out = await runGit(confine, {
        ...(await reach(access, within)),
        folder: within,
        writable: true,
        args: ['ls-remote', '--symref', '--', access.url, ...patterns],
        timeoutMs: LIST_MS,
        maxBytes: MAX_REFS_BYTES,
        signal,
      })
      const known = await readFile(join(within, KNOWN_HOSTS), 'utf8').catch(() => '')
      return { text: out.toString('utf8'), known }
    })
  }

  return {
    async refs(access, signal) {
      const { text, known } = await list(access, ['HEAD', 'refs/heads/*'], signal)
      return { ...readRefs(text), ...(known === '' ? {} : { knownHosts: known }) }
    },

    async pullRefs(access, signal) {
      const { text } = await list(access, ['refs/pull/*/head', 'refs/merge-requests/*/head'], signal)
      const found = [...text.matchAll(PULL_REF)].map(
        ([, commit = '', ref = '', number]) => [Number(number), { ref, commit }] as const,
      )
      return new Map(found)
    },

    fetch: (repository, access, signal) =>
      bring(repository, access, [`+refs/heads/*:${INCOMING}heads/*`], signal),

    fetchCommit: (repository, access, oid, signal) =>
      bring(repository, access, [`+${assertOid(oid)}:${INCOMING}commits/${oid}`], signal),

    async fetchPull(repository, access, { number, ref, repository: other }, signal) {
      if (!/^refs\/[^\s\p{Cc}:*?[\\^~]{1,400}$/u.test(ref) || ref.includes('..') || !Number.isInteger(number))
        throw new GitError('that is no ref of a pull request')
      const url = other === undefined ? access.url : besides(access.url, other)
      const into = `${INCOMING}pulls/${number}`
      await bring(repository, { ...access, url }, [`+${ref}:${into}`], signal)
      const at = join(folder, `${repository}.git`)
      const args = ['--git-dir', at, 'rev-parse', '--verify', '--quiet', `${into}^{commit}`]
      return (await runGit(confine, { folder: at, args })).toString('utf8').trim()
    },

    look: (access, branch, use, signal) =>
      withSnapshot({ folder, confine, reach, maxBytes }, { access, branch, signal }, use),

    async newKey(comment) {
      const aside = await mkdtemp(join(tmpdir(), 'aloft-key-'))
      try {
        const file = join(aside, 'key')
        await promisify(execFile)(
          'ssh-keygen',
          ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file],
          {
            env: { PATH: '/usr/bin:/bin' },
            timeout: 10_000,
          },
        )
        const [privateKey, publicKey] = await Promise.all([
          readFile(file, 'utf8'),
          readFile(`${file}.pub`, 'utf8'),
        ])
        return { privateKey, publicKey: publicKey.trim() }
      } catch (error) {
        throw new GitError('a key could not be made: is ssh-keygen installed?', { cause: error })
      } finally {
        await rm(aside, { recursive: true, force: true })
      }
    },
  }
}

/** The address of another repository of the same host: nobody else is told the token. */
function besides(url: string, repository: string): string {
  if (!/^[\w.~-]+(?:\/[\w.~-]+){1,20}$/.test(repository) || repository.split('/').includes('..'))
    throw new GitError('the name of the fork is malformed')
  const other = new URL(url)
  other.pathname = `/${repository}.git`
  return other.href
}

const PULL_REF = /^([0-9a-f]{40,64})\t(refs\/(?:pull|merge-requests)\/(\d{1,9})\/head)$/gm

function readRefs(text: string) {
  const refs = new Map<string, string>()
  let head: string | undefined
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    if (name === 'HEAD') head = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1] ?? head
    else if (/^[0-9a-f]{40,64}$/.test(value) && name.startsWith('refs/heads/')) refs.set(name, value)
  }
  return { refs, head }
}
