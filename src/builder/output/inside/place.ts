import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { PackFault } from './fault.ts'

/** The workspace as the sandbox sees it. All paths are real ones. */
export interface Place {
  readonly workspace: string
}

export const openPlace = (folder: string): Place => ({ workspace: realpathSync(folder) })

/** Whether a path is a folder or in it, as far as its text goes. */
export function within(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Undefined where there is nothing, be it that a link leads nowhere or in a circle. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** The real path of something in the workspace that a task or a configuration file names. */
export function locate({ workspace }: Place, base: string, path: string): string | undefined {
  if (path.includes('\0')) throw new PackFault('invalid_path', 'A path contains a zero byte')
  const named = join(base, path)
  if (isAbsolute(path) || !within(workspace, named))
    throw new PackFault('path_leaves_workspace', `${show(path)} is outside of the deployment's files`)
  const real = realOf(named)
  if (real !== undefined && !within(workspace, real))
    throw new PackFault('link_leaves_workspace', `${show(path)} links outside of the deployment's files`)
  return real
}

export const show = (text: string): string =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
