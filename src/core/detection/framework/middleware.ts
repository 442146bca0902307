import type { SourceTree } from '../source-tree.ts'

const FILES = ['js', 'ts', 'mjs', 'mts', 'cjs', 'cts'].map((extension) => `middleware.${extension}`)

/** The file that every request passes before anything is served. Only the topmost folder may have one. */
export const middlewareFile = (tree: SourceTree): string | undefined => FILES.find((file) => tree.has(file))

/**
 * Whether it is written for this purpose. Beside a server a file of that name may as well be a part of it, so there it
 * has to export what a middleware does.
 */
export async function isMiddleware(tree: SourceTree, file: string): Promise<boolean> {
  const text = (await tree.text(file)) ?? ''
  return /\bexport\s+(?:default\b|const\s+config\b|(?:async\s+)?function\s+middleware\b|const\s+middleware\b)/.test(
    text,
  )
}
