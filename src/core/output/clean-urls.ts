import type { OutputFile } from './output.ts'

/** Found by their names, without anybody asking for them: the pages of folders, and those for errors, which are at the top. */
const KEPT = /(?:^|\/)index$|^(?:404|500)$/

/** `about.html` is served as `about`. */
export function withCleanUrls(files: readonly OutputFile[]): readonly OutputFile[] {
  const taken = new Set(files.map(({ path }) => path))
  return files.map((file) => {
    const path = /^(.+)\.html$/.exec(file.path)?.[1]
    if (path === undefined || taken.has(path) || KEPT.test(path)) return file
    return { ...file, path, contentType: file.contentType ?? 'text/html; charset=utf-8' }
  })
}
