import { existsSync } from 'node:fs'
import { lstat, mkdir, opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import {
  copyOf,
  GitError,
  type GitRepositories,
  INCOMING,
  type TreeEntry,
} from '#core/git/git-repositories.ts'
import { ignoreAbsence, isMissing } from '../fs/error-code.ts'
import {
  makePrivateFolder,
  syncFile,
  syncFolder,
  temporaryName,
  writePrivateFile,
} from '../fs/private-file.ts'
import { ASIDE, withAside } from './aside.ts'
import type { Confine } from './confine.ts'
import { serveHttp, serveUpload } from './git-http.ts'
import { inTurn, sweepRefs } from './in-turn.ts'
import { listRefs, packRefs } from './list-refs.ts'
import { listTree } from './list-tree.ts'
import { readBatch } from './read-batch.ts'
import { type GitRun, runGit, startGit } from './run-git.ts'
import { removeLeftovers, tidyRepository } from './tidy-repository.ts'

export interface GitCliParts {
  readonly folder: string
  readonly confine: () => Promise<Confine>
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
export const REPOSITORY_ID = /^[A-Za-z0-9_-]{1,64}$/
export const assertOid = (oid: string): string => {
  if (!OID.test(oid)) throw new GitError('that is no id of a commit')
  return oid
}
/** Of a repository of which nobody has said more. */
const FIRST_HEAD = 'ref: refs/heads/main\n'
/** Contents of more than this are not held in memory. */
const LARGE = 4 * 1024 * 1024
const MAX_MESSAGE = 8000
const MAX_AUTHOR = 500
/** A pack of a few kilobytes can hold a message of hundreds of megabytes. */
const FIRST_OF_COMMIT = 64 * 1024

/** Git syncs what it writes before it gives it its name, and not the folders in which that is. */
async function syncNames(at: string): Promise<void> {
  for (const part of ['.', 'objects/pack']) await syncIfThere(join(at, part))
  for (const part of ['refs/heads', 'refs/tags']) await syncFolders(join(at, part))
}

/** A branch called `team/feature` lies in a folder of its own, which may be as new as the branch. */
async function syncFolders(folder: string): Promise<void> {
  const entries = await opendir(folder).catch(ignoreAbsence)
  if (!entries) return
  for await (const entry of entries) if (entry.isDirectory()) await syncFolders(join(folder, entry.name))
  await syncIfThere(folder)
}

const syncIfThere = (folder: string): Promise<void> => syncFolder(folder).catch(ignoreAbsence)

export function createGitRepositories({ folder, confine }: GitCliParts): GitRepositories {
  const folderOf = (id: string): string => {
    if (!REPOSITORY_ID.test(id)) throw new GitError('a repository has no such id')
    return join(folder, `${id}.git`)
  }
  const run = (id: string, args: readonly string[], more: Partial<GitRun> = {}) =>
    runGit(confine, { ...more, folder: folderOf(id), args: ['--git-dir', folderOf(id), ...args] })

  async function refsUnder(id: string, prefix: string): Promise<ReadonlyMap<string, string>> {
    if (!existsSync(folderOf(id))) return new Map()
    return listRefs((args) => run(id, args), prefix)
  }

  /** Makes an empty repository, or what is missing of one. */
  async function init(at: string): Promise<void> {
    const args = ['init', '--quiet', '--bare', '--template=', at]
    await runGit(confine, { folder: at, writable: true, args })
    for (const name of ['HEAD', 'config']) await syncFile(join(at, name))
    await syncFolder(at)
  }

  /**
   * A power cut may have emptied the file by which git knows a repository, and others beside it. The branch that it named is
   * set again at the next push.
   */
  async function mend(at: string): Promise<void> {
    const written = temporaryName(join(at, 'HEAD'))
    await writePrivateFile(written, FIRST_HEAD)
    await rename(written, join(at, 'HEAD'))
    await init(at)
  }

  /** Read as it lies there: to start git for this one line takes a server a hundred times as long. */
  async function head(id: string): Promise<string | undefined> {
    const text = await readFile(join(folderOf(id), 'HEAD'), 'utf8').catch(() => '')
    return /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]
  }

  async function* batch(id: string, oids: readonly string[]) {
    const args = ['--git-dir', folderOf(id), 'cat-file', '--batch']
    const { child, ended } = await startGit(confine, { folder: folderOf(id), args, timeoutMs: 10 * MINUTE })
    child.stdin.end(oids.map((oid) => `${assertOid(oid)}\n`).join(''))
    try {
      yield* readBatch(child.stdout as AsyncIterable<Buffer>, LARGE)
      await ended
    } finally {
      child.kill('SIGKILL')
    }
  }

  return {
    async ensure(id) {
      const at = folderOf(id)
      const found = await stat(join(at, 'HEAD')).catch(() => undefined)
      if (found && found.size > 0) return
      if (found) return mend(at)
      await makePrivateFolder(folder)
      // Made aside, so that nobody finds half of one.
      const aside = join(folder, `${ASIDE.made}${id}-${process.pid}-${Date.now()}`)
      await mkdir(aside, { mode: 0o700 })
      await init(aside)
      await rename(aside, at).catch(async (error) => {
        await rm(aside, { recursive: true, force: true })
        if (!existsSync(join(at, 'HEAD'))) throw error
      })
      await syncFolder(folder)
    },

    async remove(id) {
      const names = await readdir(folder).catch(() => [])
      const doomed = names.filter((name) => name === `${id}.git` || name.startsWith(copyOf(id, '')))
      // Moved aside first, so that nobody finds half of one.
      for (const name of doomed)
        await withAside(join(folder, ASIDE.gone), (aside) =>
          rename(join(folder, name), join(aside, name)).catch((error: unknown) => {
            if (!isMissing(error)) throw error
          }),
        )
    },

    async ids() {
      const names = await readdir(folder).catch(() => [])
      return names.filter((name) => /^[A-Za-z0-9_-]+\.git$/.test(name)).map((name) => name.slice(0, -4))
    },

    tidy: (id, options) =>
      inTurn(folderOf(id), () => tidyRepository(folderOf(id), (args, more) => run(id, args, more), options)),

    removeLeftovers: () => removeLeftovers(folder, Object.values(ASIDE)),

    async bytes(id) {
      const at = folderOf(id)
      if (!existsSync(at)) return undefined
      const packed = (await stat(join(at, 'packed-refs')).catch(() => undefined))?.size ?? 0
      return packed + (await bytesIn(join(at, 'objects'))) + (await diskBytesIn(join(at, 'refs')))
    },
    refs: (id) => refsUnder(id, 'refs/'),
    incoming: (id) => refsUnder(id, INCOMING),

    async accept(id, updates) {
      const at = folderOf(id)
      const move = (moved: typeof updates) => {
        const lines = moved.map(({ ref, after }) =>
          after === null ? `delete ${ref}\0\0` : `update ${ref}\0${assertOid(after)}\0\0`,
        )
        return run(id, ['update-ref', '-z', '--stdin'], { writable: true, input: lines.join('') })
      }
      try {
        // Git takes a branch `a` and a branch `a/b` for two at the same time where one takes the place of the other at once.
        for (const moved of [
          updates.filter(({ after }) => after === null),
          updates.filter(({ after }) => after !== null),
        ])
          if (moved.length > 0) await move(moved)
        // Where another run of git is at it, they are packed when the repository is tidied.
        await packRefs((args) => run(id, args, { writable: true })).catch((error: unknown) => {
          if (!(error instanceof GitError)) throw error
        })
        await syncNames(at)
      } finally {
        await sweepRefs(at)
      }
    },

    head,

    async setHead(id, branch) {
      if ((await head(id)) === branch) return
      await run(id, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { writable: true })
      await syncFile(join(folderOf(id), 'HEAD'))
      await syncFolder(folderOf(id))
    },

    async commit(id, oid) {
      if (!existsSync(folderOf(id))) return undefined
      const format = '--format=%H%x00%an%x00%B'
      const args = ['log', '-1', '--no-show-signature', '--encoding=UTF-8', format, assertOid(oid), '--']
      const out = await run(id, args, { firstBytes: FIRST_OF_COMMIT }).catch((error: unknown) => {
        if (error instanceof GitError) return undefined
        throw error
      })
      const [hash, author = '', message = ''] = out?.toString('utf8').split('\0') ?? []
      if (hash === undefined || hash === '') return undefined
      return { oid: hash, author: author.slice(0, MAX_AUTHOR), message: message.trim().slice(0, MAX_MESSAGE) }
    },

    async tree(id, oid) {
      const lines = await listTree(confine, {
        folder: folderOf(id),
        args: ['--git-dir', folderOf(id), 'ls-tree', '-r', '-z', '-l', '--full-tree', assertOid(oid)],
      })
      return lines.map((line): TreeEntry => {
        const [, mode, , name, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(-|\d+)\t(.*)$/s.exec(line) ?? []
        if (mode === undefined || name === undefined || path === undefined)
          throw new GitError('a tree could not be read')
        return { path, mode, oid: name, size: size === '-' ? 0 : Number(size) }
      })
    },

    async *contents(id, entries) {
      const small = entries.filter(({ size }) => size <= LARGE)
      if (small.length > 0)
        yield* batch(
          id,
          small.map(({ oid }) => oid),
        )
      for (const { oid, size } of entries) {
        if (size <= LARGE) continue
        const args = ['--git-dir', folderOf(id), 'cat-file', 'blob', assertOid(oid)]
        const { child, ended } = await startGit(confine, {
          folder: folderOf(id),
          args,
          timeoutMs: 10 * MINUTE,
        })
        child.stdin.end()
        yield { oid, size, stream: child.stdout }
        await ended
      }
    },

    async changed(id, from, to) {
      const args = [
        'diff-tree',
        '-r',
        '-z',
        '--name-only',
        '--no-renames',
        assertOid(from),
        assertOid(to),
        '--',
      ]
      const out = await run(id, args).catch((error: unknown) => {
        if (error instanceof GitError) return undefined
        throw error
      })
      return out
        ?.toString('utf8')
        .split('\0')
        .filter((path) => path !== '')
    },

    async http(id, request) {
      const answer = await serveHttp(confine, folderOf(id), request)
      if (request.path !== '/git-receive-pack') return answer
      const ended = answer.ended.then(() => syncNames(folderOf(id))).finally(() => sweepRefs(folderOf(id)))
      ended.catch(() => undefined)
      return { ...answer, ended }
    },
    uploadPack: (id, client) => serveUpload(confine, folderOf(id), client),
  }
}

/** As the disk counts them: a ref is small, and its file and each of its folders take a block. */
async function diskBytesIn(folder: string): Promise<number> {
  const entries = await opendir(folder).catch(() => undefined)
  if (!entries) return 0
  let bytes = 0
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    const found = await lstat(path).catch(() => undefined)
    bytes += Math.max(found?.size ?? 0, (found?.blocks ?? 0) * 512)
    if (entry.isDirectory()) bytes += await diskBytesIn(path)
  }
  return bytes
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries)
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  return bytes
}
