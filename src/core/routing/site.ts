/** What a deployment has to serve, by decoded path with a leading slash. */
export interface Site<Target> {
  /** The file or function at exactly this path. */
  find(path: string): Target | undefined
  /** Whether visitors may see what is in the folder at this path. Absent: they may not. */
  hasListing?(path: string): boolean
}

export interface Found<Target> {
  readonly target: Target
  readonly foundAt: string
}

/** The target at the path, else its folder's index file. */
export function findTarget<Target>(site: Site<Target>, path: string): Found<Target> | undefined {
  const isFolder = path.endsWith('/')
  const exact = isFolder ? undefined : site.find(path)
  if (exact !== undefined) return { target: exact, foundAt: path }
  const foundAt = isFolder ? `${path}index.html` : `${path}/index.html`
  const index = site.find(foundAt)
  return index === undefined ? undefined : { target: index, foundAt }
}
