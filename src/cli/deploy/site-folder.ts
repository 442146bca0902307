import { homedir } from 'node:os'
import { basename, dirname, parse, resolve } from 'node:path'
import { usageError } from '../exit.ts'

/** Folders that programs write: the site is what they are in. */
const OUTPUT: ReadonlySet<string> = new Set(['dist', 'build', 'out', 'public', '_site', 'www'])
const MAX_NAME = 52

export interface SiteFolder {
  /** What is deployed. */
  readonly folder: string
  /** Where the link to the project is kept. */
  readonly home: string
  /** What the project is called unless somebody says otherwise. */
  readonly name: string
}

/** Reads the folder that was named. A home folder or a whole disk is named by mistake, so it is refused. */
export function readSiteFolder(cwd: string, named: string | undefined, own: string = homedir()): SiteFolder {
  const folder = resolve(cwd, named ?? '.')
  if (folder === resolve(own) || folder === parse(folder).root)
    throw usageError(
      `${folder} is not a site folder: it contains all your files.`,
      'Change to the folder of your site, or pass it: aloft deploy <folder>',
    )
  const inner = dirname(folder)
  const isOutput = OUTPUT.has(basename(folder)) && inner !== resolve(own) && inner !== parse(inner).root
  const home = isOutput ? inner : folder
  return { folder, home, name: projectName(basename(home)) }
}

/** A folder's name as that of a project, which is a part of its addresses. */
export const projectName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '') || 'site'
