import { execFile } from 'node:child_process'
import { lookup } from 'node:dns'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MINUTE } from '#contract/time.ts'
import { GitError, INCOMING } from '#core/git/git-repositories.ts'
import { assertFewRefs, isRefName, isShortRef } from '#core/git/protocol/ref-names.ts'
import type { GitRemotes, RemoteAccess } from '#core/git/source/source.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { ASIDE, withAside } from './aside.ts'
import type { GitCliParts } from './git-repositories.ts'
import { assertOid, REPOSITORY_ID } from './git-repositories.ts'
import { inTurn, sweepRefs } from './in-turn.ts'
import { listRefs, packRefs } from './list-refs.ts'
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
  /** The most branches that it can have. */
  readonly maxRefs: number
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
  maxRefs,
}: GitRemoteParts): GitRemotes {
  const reach = createReach(allows, resolve)

  /** Runs with a folder of its own for what has to be a file. */
  const withFolder = <T>(at: string, work: (folder: string) => Promise<T>): Promise<T> =>
    withAside(join(at, ASIDE.remote), work)

  const folderOf = (repository: string): string => {
    if (!REPOSITORY_ID.test(repository)) throw new GitError('a repository has no such id')
    return join(folder, `${repository}.git`)
  }

  /**
   * Refs of a repository elsewhere become refs of one of ours: of each its newest commit alone, since that is what is
   * built, however long the history is. None is asked for by a pattern: its host would choose how many there are.
   */
  async function bring(
    at: string,
    access: RemoteAccess,
    refspecs: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await withFolder(at, (within) =>
      inTurn(at, async () => {
        const near = await reach(access, within)
        await runGit(confine, {
          ...near,
          folder: at,
          writable: true,
          args: ['--git-dir', at, ...FETCH, '--stdin', '--', access.url],
          input: refspecs.join('\n'),
          maxFileBytes: Math.min(maxBytes, access.maxBytes ?? maxBytes),
          timeoutMs: FETCH_MS,
          signal,
        })
      }),
    )
  }

  /** Makes the branches that are kept of a repository elsewhere those that it was found to have. */
  async function bringBranches(
    at: string,
    access: RemoteAccess,
    refs: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const run = (args: readonly string[], input?: string) =>
      runGit(confine, {
        ...{ folder: at, args: ['--git-dir', at, ...args], signal },
        ...{ writable: true, input: input ?? '' },
      })
    const known = await listRefs(run, INCOMING)
    const here = (ref: string) => `${INCOMING}${ref.slice('refs/'.length)}`
    const gone = [...known.keys()].filter((ref) => !refs.has(ref))
    if (gone.length > 0)
      await inTurn(at, () =>
        run(['update-ref', '-z', '--stdin'], gone.map((ref) => `delete ${here(ref)}\0\0`).join('')),
      )
    const wanted = [...refs].filter(([ref, oid]) => known.get(ref) !== oid)
    if (wanted.length === 0) return
    try {
      // By their commits: where a branch has moved or gone since, what was found is what comes.
      const refspecs = wanted.map(([ref, oid]) => `+${assertOid(oid)}:${here(ref)}`)
      await bring(at, access, refspecs, signal)
      await inTurn(at, () => packRefs(run))
    } finally {
      await sweepRefs(at)
    }
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
      const found = readRefs(text)
      assertFewRefs(found.refs, maxRefs)
      return { ...found, ...(known === '' ? {} : { knownHosts: known }) }
    },

    async pullRefs(access, signal) {
      const { text } = await list(access, ['refs/pull/*/head', 'refs/merge-requests/*/head'], signal)
      const found = [...text.matchAll(PULL_REF)].map(
        ([, commit = '', ref = '', number]) => [Number(number), { ref, commit }] as const,
      )
      return new Map(found)
    },

    fetch: async (repository, access, refs, signal) =>
      bringBranches(folderOf(repository), access, refs, signal),

    fetchCommit: async (repository, access, oid, signal) =>
      bring(folderOf(repository), access, [`+${assertOid(oid)}:${INCOMING}commits/${oid}`], signal),

    async fetchPull(repository, access, { number, ref, repository: other }, signal) {
      if (!/^refs\/[^\s\p{Cc}:*?[\\^~]{1,400}$/u.test(ref) || ref.includes('..') || !Number.isInteger(number))
        throw new GitError('that is no ref of a pull request')
      const url = other === undefined ? access.url : besides(access.url, other)
      const into = `${INCOMING}pulls/${number}`
      const at = folderOf(repository)
      await bring(at, { ...access, url }, [`+${ref}:${into}`], signal)
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

/** What git takes for no name of a ref: it passes these over as well when it fetches. */
const FUNNY = /[ \p{Cc}:?*[\\^~]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/u

/** Whether a branch is followed: one that could not have been pushed here keeps no others from being deployed. */
const isFollowed = (name: string): boolean =>
  name.startsWith('refs/heads/') && !FUNNY.test(name) && isRefName(name) && isShortRef(name)

function readRefs(text: string) {
  const refs = new Map<string, string>()
  let head: string | undefined
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    if (name === 'HEAD') head = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1] ?? head
    else if (/^[0-9a-f]{40,64}$/.test(value) && isFollowed(name)) refs.set(name, value)
  }
  return { refs, head: refs.has(`refs/heads/${head}`) ? head : undefined }
}
