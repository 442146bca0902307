import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { namedBy, PNPM_WORKSPACE, workspacePatterns } from '#contract/build/workspace.ts'
import type { SiteFolder } from './site-folder.ts'

/** The files that are uploaded. */
export interface SourceFolder {
  readonly folder: string
  /** Where among them a project is that does not exist yet; undefined for the folder itself. */
  readonly rootDirectory?: string
}

/** A project that is there already, as far as it matters here. */
interface Existing {
  readonly rootDirectory: string | null
}

/**
 * What is uploaded for a site. A package of a workspace is installed and built together with those beside it, so all of the workspace
 * is, and the site's folder becomes the root directory of its project. A project that is there already has been told where it is.
 */
export function chooseSource(
  { folder }: SiteFolder,
  workspace: string | undefined,
  existing: Existing | undefined,
  own: string = homedir(),
): SourceFolder {
  if (existing === undefined)
    return workspace === undefined
      ? { folder }
      : { folder: workspace, rootDirectory: pathWithin(workspace, folder) }
  const above = aboveRoot(folder, existing.rootDirectory ?? '')
  // Other folders may happen to have that name, and what lies beside them is nobody's business.
  const isTogether =
    above !== undefined &&
    (above === workspace || (above !== resolve(own) && isOfSame(join(above, '.git'), folder)))
  return { folder: isTogether ? above : folder }
}

/** The folder that has this one as its root directory; undefined if the root directory is inside this one, or elsewhere. */
function aboveRoot(folder: string, rootDirectory: string): string | undefined {
  const names = rootDirectory.split('/').filter((name) => name !== '' && name !== '.')
  const above = resolve(folder, ...names.map(() => '..'))
  const isMeant = names.length > 0 && pathWithin(above, folder) === names.join('/')
  return isMeant && !existsSync(join(folder, ...names)) ? above : undefined
}

/** The nearest folder above whose list of workspaces names this one. Nobody means a home folder, or what is above it. */
export function findWorkspace({ folder, home }: SiteFolder, own: string = homedir()): string | undefined {
  // What a program wrote needs nothing beside it any more.
  if (folder !== home || !existsSync(join(folder, 'package.json'))) return undefined
  for (const at of foldersAbove(folder, own)) {
    const patterns = workspacePatterns({ pnpm: read(join(at, PNPM_WORKSPACE)), manifest: readManifest(at) })
    const isMeant = [PNPM_WORKSPACE, 'package.json'].every(
      (name) => !existsSync(join(at, name)) || isOfSame(join(at, name), folder),
    )
    if (isMeant && namedBy(patterns)(pathWithin(at, folder))) return at
  }
  return undefined
}

/** Whether a repository is above it: then it depends on its project what is uploaded. */
export const isInRepository = ({ folder }: SiteFolder, own: string = homedir()): boolean =>
  // Of one that does not exist it is told when it is read.
  existsSync(folder) && foldersAbove(folder, own).some((at) => isOfSame(join(at, '.git'), folder))

/** From the nearest on, without a home folder and what is above it. */
function foldersAbove(folder: string, own: string): readonly string[] {
  const above: string[] = []
  for (let at = dirname(folder); at !== dirname(at) && at !== resolve(own); at = dirname(at)) above.push(at)
  return above
}

/**
 * Whether it was put there by root, by this user or by whoever has the folder: in one such as /tmp anybody could have others upload
 * what lies beside their site.
 */
function isOfSame(path: string, folder: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && [0, process.getuid?.() ?? 0, lstatSync(folder).uid].includes(found.uid)
}

const pathWithin = (folder: string, path: string): string => relative(folder, path).split(sep).join('/')

function readManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(read(join(folder, 'package.json')) ?? '')
    return typeof manifest === 'object' && manifest !== null
      ? (manifest as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Undefined for whatever cannot be read: the site does not depend on it. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
