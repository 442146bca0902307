import { restoreRoutes } from '#core/routing/compile-routes.ts'
import type { RouteTable } from '#core/routing/route-table.ts'
import type { Site as RoutedSite } from '#core/routing/site.ts'
import type { Site, SiteFile } from '#core/site/site.ts'
import { createFolders, type Folders } from './folders.ts'
import { servesEveryone } from './guards.ts'
import type { AnswerShare, HotAnswer } from './hot-answers.ts'
import { specialPathOf } from './request-path.ts'

/** A site made ready to answer. Immutable but for what it remembers and for being replaced. */
export interface SiteEntry {
  readonly site: Site
  readonly table: RouteTable
  readonly files: RoutedSite<SiteFile>
  readonly folders: () => Folders
  /** Pages that list a folder, by its path. */
  readonly listings: Map<string, Buffer>
  /** Whether its files may be served without a look at the visitor. */
  readonly isPlain: boolean
  /** The answers to GET requests for files, by the path as it was sent. */
  readonly answers: Map<string, HotAnswer>
  /** The same answers, by file and headers. */
  readonly shares: Map<string, AnswerShare>
  /** False once the host points elsewhere, or may do so. */
  live: boolean
  /** When the source is to be asked again, in case that the message about a change was lost. */
  checkAt: number
  used: boolean
}

export function createSiteEntry(site: Site, checkAt: number): SiteEntry {
  let folders: Folders | undefined
  const readFolders = () => {
    folders ??= createFolders(site.files)
    return folders
  }
  return {
    site,
    table: restoreRoutes(site.routes ?? []),
    files: createLookup(site, readFolders),
    folders: readFolders,
    listings: new Map(),
    isPlain: servesEveryone(site),
    answers: new Map(),
    shares: new Map(),
    live: true,
    checkAt,
    used: true,
  }
}

/** What an entry takes in memory, roughly: most of it are the names of files, and the pages that list them. */
export const weightOf = ({ site }: SiteEntry): number =>
  4096 + site.files.size * (site.directoryListing ? 1024 : 256)

function createLookup({ files, directoryListing }: Site, folders: () => Folders): RoutedSite<SiteFile> {
  const special = new Map<string, SiteFile>()
  for (const [name, file] of files) {
    const path = specialPathOf(name)
    if (path !== undefined) special.set(path, file)
  }
  return {
    // With an escape left in it, a path can only mean a name that has such characters, and the reverse.
    find: (path) => (path.includes('%') ? special.get(path) : files.get(path.slice(1))),
    hasListing: (path) => directoryListing && folders().has(path),
  }
}
