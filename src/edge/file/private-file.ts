const PRIVATE = /(?:^|\/)\.(?:env|(?:git|aloft)(?:\/|$))/i

/**
 * Whether a file is kept from visitors wherever it lies: variables for builds (`.env`, `.env.production`, `.envrc`), and what Git
 * and the command line note about a folder. Builds need some of them, so they may be uploaded.
 */
export const isPrivateFile = (name: string): boolean => PRIVATE.test(name)

/** The files that visitors may see. */
export function visibleFiles<File>(files: ReadonlyMap<string, File>): ReadonlyMap<string, File> {
  const hidden = [...files.keys()].filter(isPrivateFile)
  if (hidden.length === 0) return files
  const visible = new Map(files)
  for (const name of hidden) visible.delete(name)
  return visible
}
