import { restoreOutputRoutes } from '#core/routing/read/compile-output-routes.ts'
import { restoreRoutes } from '#core/routing/read/compile-routes.ts'
import type { RouteTable } from '#core/routing/route-table.ts'
import type { Site as RoutedSite } from '#core/routing/site.ts'
import type { Site } from '#core/site/site.ts'
import type { FileAnswer } from '../file/file-answer.ts'
import { createFolders, type Folders } from '../file/folders.ts'
import { visibleFiles } from '../file/private-file.ts'
import type { FunctionOutcome } from '../function/function-request.ts'
import { servesEveryone } from '../guards.ts'
import { specialPathOf } from '../request/request-path.ts'
import { isSaidByPlatform } from './routed-header.ts'
import type { SiteTarget } from './site-target.ts'

/** A site made ready to answer. Immutable but for what it remembers and for being replaced. */
export interface SiteEntry {
  readonly site: Site
  readonly table: RouteTable
  /** Whether its routes go by what the platform says of every visitor, such as their address. */
  readonly goesByPlatform: boolean
  readonly targets: RoutedSite<SiteTarget>
  readonly folders: () => Folders
  /** Pages that list a folder, by its path. */
  readonly listings: Map<string, Buffer>
  /** Whether its files may be served without a look at the visitor. */
  readonly isPlain: boolean
  /** What answers GET requests, by the path as it was sent. */
  readonly answers: Map<string, HotAnswer>
  /** The answers of files among them, by file and headers. */
  readonly shares: Map<string, AnswerShare>
  /** False once the host points elsewhere, or may do so. */
  live: boolean
  /** When the source is to be asked again, in case that the message about a change was lost. */
  checkAt: number
  /** Whether messages were lost since it was looked up: it is to be asked for before it answers again. */
  isDoubtful: boolean
  used: boolean
}

/** What is remembered for a path of a site: the answer of a file, or the function that answers. */
export interface HotAnswer {
  readonly entry: SiteEntry
  readonly rawPath: string
  readonly found: AnswerShare | FunctionOutcome
  /** False once it was forgotten, to make room for others. */
  live: boolean
  used: boolean
}

/** An answer, and how many paths of the site have it. */
export interface AnswerShare {
  readonly key: string
  readonly answer: FileAnswer
  paths: number
}

/** What is made of the contents of a site. Names that a wildcard stands for have it in common. */
type SiteTables = Pick<SiteEntry, 'table' | 'goesByPlatform' | 'targets' | 'folders'>

const madeOf = new WeakMap<Site['files'], { readonly site: Site; readonly made: SiteTables }>()

function make(site: Site): SiteTables {
  const known = madeOf.get(site.files)
  const isSame = known?.site.routes === site.routes && known?.site.directoryListing === site.directoryListing
  if (known !== undefined && isSame) return known.made
  let folders: Folders | undefined
  const files = visibleFiles(site.files)
  const readFolders = () => {
    folders ??= createFolders(files)
    return folders
  }
  const restore = site.routesFrom === 'output' ? restoreOutputRoutes : restoreRoutes
  const table = restore(site.routes ?? [])
  const made = {
    table,
    goesByPlatform: [...(table.variesOn ?? [])].some(isSaidByPlatform),
    targets: createLookup({ ...site, files }, readFolders),
    folders: readFolders,
  }
  madeOf.set(site.files, { site, made })
  return made
}

export function createSiteEntry(site: Site, checkAt: number): SiteEntry {
  return {
    site,
    ...make(site),
    listings: new Map(),
    isPlain: servesEveryone(site),
    answers: new Map(),
    shares: new Map(),
    live: true,
    checkAt,
    isDoubtful: false,
    used: true,
  }
}

const inPlaceOf = new WeakMap<SiteEntry, WeakMap<SiteEntry, SiteEntry>>()

/** Another deployment as visitors of a host are shown it: it answers as if it were the one of that host. */
export function shownAt(host: SiteEntry, other: SiteEntry): SiteEntry {
  if (other === host) return host
  const known = inPlaceOf.get(other) ?? new WeakMap<SiteEntry, SiteEntry>()
  inPlaceOf.set(other, known)
  const { host: name, environment } = host.site
  const shown = known.get(host) ?? createSiteEntry({ ...other.site, host: name, environment }, other.checkAt)
  known.set(host, shown)
  return shown
}

/** What an entry takes in memory, roughly: most of it are the names of files, and the pages that list them. */
export const weightOf = ({ site }: SiteEntry): number =>
  OWN_WEIGHT + site.files.size * (site.directoryListing ? 1024 : 256) + site.functions.size * 1024

/** The same without what it has in common with others. */
export const OWN_WEIGHT = 4096

function createLookup(site: Site, folders: () => Folders): RoutedSite<SiteTarget> {
  const { files, functions, directoryListing, routesFrom } = site
  const special = new Map<string, SiteTarget>()
  const at = (name: string): SiteTarget | undefined => {
    const fn = functions.get(name)
    // Answers that are kept start out as files, and are made anew by the function.
    return fn?.prerender === undefined ? (files.get(name) ?? fn) : fn
  }
  for (const name of [...files.keys(), ...functions.keys()]) {
    const path = specialPathOf(name)
    const target = path === undefined ? undefined : at(name)
    if (path !== undefined && target !== undefined) special.set(path, target)
  }
  const find = functions.size === 0 ? (name: string) => files.get(name) : at
  return {
    // With an escape left in it, a path can only mean a name that has such characters, and the reverse.
    find: (path) => (path.includes('%') ? special.get(path) : find(path.slice(1))),
    hasListing: (path) => directoryListing && folders().has(path),
    isBuilt: routesFrom === 'output' || functions.size > 0,
  }
}
