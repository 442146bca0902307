import type { OutputFile } from './output.ts'

/** `about.html` is served as `about`. What is a page for its folder stays what it is, as do the pages for errors. */
export function withCleanUrls(files: readonly OutputFile[]): readonly OutputFile[] {
  const taken = new Set(files.map(({ path }) => path))
  return files.map((file) => {
    const path = /^(.+)\.html$/.exec(file.path)?.[1]
    if (path === undefined || taken.has(path) || /(?:^|\/)(?:index|404|500)$/.test(path)) return file
    return { ...file, path, contentType: file.contentType ?? 'text/html; charset=utf-8' }
  })
}
