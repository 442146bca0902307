/** What a deployment has to serve, by decoded path with a leading slash. */
export interface Site<Target> {
  /** The file or function at exactly this path. */
  find(path: string): Target | undefined
  /** Whether visitors may see what is in the folder at this path. Absent: they may not. */
  hasListing?(path: string): boolean
  /** Whether a build made it, what it made being found by names such as `/blog` and `/blog/index` too. */
  readonly isBuilt?: boolean
}

interface FoundTarget<Target> {
  readonly target: Target
  readonly foundAt: string
}

/** The target at the path, else its folder's index file. */
export function findTarget<Target>(site: Site<Target>, path: string): FoundTarget<Target> | undefined {
  const isFolder = path.endsWith('/')
  const exact = isFolder ? undefined : site.find(path)
  if (exact !== undefined) return { target: exact, foundAt: path }
  const folder = isFolder ? path : `${path}/`
  const foundAt = `${folder}index.html`
  const index = site.find(foundAt)
  if (index !== undefined) return { target: index, foundAt }
  return site.isBuilt ? findPage(site, folder) : undefined
}

function findPage<Target>(site: Site<Target>, folder: string): FoundTarget<Target> | undefined {
  for (const foundAt of [folder.slice(0, -1) || '/', `${folder}index`]) {
    const target = site.find(foundAt)
    if (target !== undefined) return { target, foundAt }
  }
  return undefined
}
