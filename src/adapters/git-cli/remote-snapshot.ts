import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import type { RemoteAccess, RemoteSnapshot } from '#core/git/source/source.ts'
import { ASIDE, withAside } from './aside.ts'
import type { GitCliParts } from './git-repositories.ts'
import { listTree } from './list-tree.ts'
import { FETCH, type ReachRemote } from './reach-remote.ts'
import { readBatch } from './read-batch.ts'
import { BARE_CONFIG } from './restore-repository.ts'
import { type GitRun, runGit, startGit } from './run-git.ts'

interface SnapshotParts extends GitCliParts {
  readonly reach: ReachRemote
  readonly maxBytes: number
}

/** Larger files say nothing of what a repository is, and hosts that can leave them out. */
const MAX_FILE = 256 * 1024
const LOOK_MS = MINUTE

/** Brings the newest commit of one branch into a folder that is thrown away afterwards. */
export async function withSnapshot<T>(
  { folder, confine, reach, maxBytes }: SnapshotParts,
  { access, branch, signal }: { access: RemoteAccess; branch: string; signal: AbortSignal },
  use: (snapshot: RemoteSnapshot) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return withAside(join(folder, ASIDE.look), async (at) => {
    const run = (args: readonly string[], more: Partial<GitRun> = {}) =>
      runGit(confine, {
        ...{ folder: at, writable: true, timeoutMs: LOOK_MS, signal },
        ...more,
        args: ['--git-dir', at, ...args],
      })
    await run(['init', '--quiet', '--bare', '--template='])
    const near = await reach(access, at)
    await run(
      [
        ...FETCH,
        `--filter=blob:limit=${MAX_FILE}`,
        '--',
        access.url,
        `+refs/heads/${branch}:refs/heads/look`,
      ],
      { ...near, maxFileBytes: maxBytes },
    )
    // So that nothing that was left out is ever asked for.
    await writeFile(join(at, 'config'), BARE_CONFIG)
    const commit = (await run(['rev-parse', '--verify', '--quiet', 'refs/heads/look^{commit}'])).toString(
      'utf8',
    )
    const listed = await listTree(confine, {
      ...{ folder: at, timeoutMs: LOOK_MS, signal },
      args: ['--git-dir', at, 'ls-tree', '-r', '-z', '--full-tree', commit.trim()],
    })
    return use({
      commit: commit.trim(),
      files: listed.flatMap((line) => {
        const [, oid, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
        return oid === undefined || path === undefined ? [] : [{ oid, path }]
      }),
      read: async (oid) => {
        const args = ['--git-dir', at, 'cat-file', '--batch']
        const { child, ended } = await startGit(confine, { folder: at, args, timeoutMs: LOOK_MS, signal })
        child.stdin.end(`${oid}\n`)
        try {
          for await (const { bytes } of readBatch(child.stdout as AsyncIterable<Buffer>, MAX_FILE))
            return bytes
          await ended
        } catch (error) {
          if (!(error instanceof GitError)) throw error
        } finally {
          child.kill('SIGKILL')
        }
        // It was left out, or should have been.
        return undefined
      },
    })
  })
}
