import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { type IgnoreRule, isIgnored, readIgnoreFile } from '#contract/ignore/ignore.ts'
import { ignoreFilesAmong } from '#contract/ignore/left-out.ts'
import { DeployError } from './deploy-error.ts'
import { checkName, IGNORE_BYTES, MAX_FILES, NEVER, PRIVATE, USUALLY } from './left-out.ts'
import { forEachAtOnce } from './pool.ts'

export interface FoundFile {
  /** From the folder, with slashes. */
  readonly path: string
  /** Where to read it. */
  readonly source: string
  readonly size: number
  readonly mode: number
}

const MAX_DEPTH = 200
const AT_ONCE = 32

interface Walk {
  readonly root: string
  readonly files: { path: string; source: string }[]
  readonly signal: AbortSignal | undefined
}

/** The files of a folder that belong to a deployment, in a fixed order. */
export async function collectFiles(folder: string, signal?: AbortSignal): Promise<FoundFile[]> {
  const root = await realpath(folder).catch((error) => {
    throw new DeployError('no_folder', `The folder ${folder} does not exist.`, { cause: error })
  })
  if (!(await stat(root)).isDirectory()) throw new DeployError('no_folder', `${folder} is not a folder.`)
  const walk: Walk = { root, files: [], signal }
  await walkFolder(walk, root, [], USUALLY, [root])
  const found: FoundFile[] = []
  await forEachAtOnce(walk.files, AT_ONCE, async ({ path, source }, index) => {
    const { size, mode } = await stat(source).catch((error) => unreadable(path, error))
    found[index] = { path, source, size, mode: 0o100000 | (mode & 0o777) }
  })
  if (found.length === 0) throw new DeployError('no_files', `${folder} contains no files to deploy.`)
  return found
}

/** Whether a file of this path would be left out by the ignore files at the top of a folder. */
export async function isLeftOut(folder: string, path: string): Promise<boolean> {
  const names = await readdir(folder)
  const rules = await rulesOf(folder, [], names)
  const parts = path.split('/')
  return parts.some((_part, at) => isIgnored(rules, parts.slice(0, at + 1), at + 1 < parts.length))
}

async function walkFolder(
  walk: Walk,
  folder: string,
  parts: readonly string[],
  above: readonly IgnoreRule[],
  /** The real folders that lead here, so that links cannot go round in circles. */
  trail: readonly string[],
): Promise<void> {
  walk.signal?.throwIfAborted()
  if (parts.length > MAX_DEPTH)
    throw new DeployError('bad_name', `${parts.slice(0, 3).join('/')}/… is nested too deeply.`)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) =>
    unreadable(parts.join('/') || folder, error),
  )
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  const own = await rulesOf(
    folder,
    parts,
    entries.map(({ name }) => name),
  )
  const rules = own.length === 0 ? above : [...above, ...own]
  for (const entry of entries) {
    if (NEVER.has(entry.name)) continue
    const path = [...parts, entry.name]
    const source = join(folder, entry.name)
    // Like git, a link is matched as what it is: no folder.
    if (isIgnored(rules, path, entry.isDirectory())) continue
    const { kind, real } = await kindOf(walk, entry, source, path)
    if (kind === 'folder') {
      if (trail.includes(real))
        throw new DeployError('outside', `${path.join('/')} is a link to one of its parent folders.`)
      if (!entry.isDirectory() && isIgnored(rules, path, true)) continue
      await walkFolder(walk, real, path, rules, [...trail, real])
    } else if (kind === 'file') addFile(walk, path, real)
  }
}

async function kindOf(
  walk: Walk,
  entry: Dirent,
  source: string,
  path: readonly string[],
): Promise<{ readonly kind: 'file' | 'folder' | 'other'; readonly real: string }> {
  if (entry.isFile()) return { kind: 'file', real: source }
  if (entry.isDirectory()) return { kind: 'folder', real: source }
  if (!entry.isSymbolicLink()) return { kind: 'other', real: source }
  const shown = path.join('/')
  const real = await realpath(source).catch((error) => {
    throw new DeployError('broken_link', `${shown} is a link to something that does not exist.`, {
      cause: error,
    })
  })
  const inside = relative(walk.root, real)
  const leaves = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  if (leaves) throw new DeployError('outside', `${shown} is a link that points outside the folder.`)
  if (inside.split(sep).some((part) => PRIVATE.has(part)))
    throw new DeployError('outside', `${shown} is a link to ${inside}, which is never deployed.`)
  const target = await lstat(real)
  return { kind: target.isFile() ? 'file' : target.isDirectory() ? 'folder' : 'other', real }
}

function addFile(walk: Walk, path: readonly string[], source: string): void {
  const shown = path.join('/')
  checkName(shown)
  if (walk.files.length >= MAX_FILES)
    throw new DeployError('too_many_files', `The folder contains more than ${MAX_FILES} files.`)
  walk.files.push({ path: shown, source })
}

async function rulesOf(
  folder: string,
  base: readonly string[],
  names: readonly string[],
): Promise<IgnoreRule[]> {
  const rules: IgnoreRule[] = []
  for (const name of ignoreFilesAmong(names)) {
    const path = join(folder, name)
    const about = await lstat(path)
    if (!about.isFile() || about.size > IGNORE_BYTES) continue
    for (const rule of readIgnoreFile(await readFile(path, 'utf8'), base)) rules.push(rule)
  }
  return rules
}

function unreadable(path: string, error: unknown): never {
  throw new DeployError('unreadable', `${path} cannot be read: ${(error as Error).message}.`, {
    cause: error,
  })
}
