import { posix } from 'node:path'
import { isPlainPath } from './source-files.ts'

/**
 * The folders of a framework's pattern for what to cache, such as `.next/cache/**` or `{.cache,public}/**`, below the
 * source's root. A pattern of another kind names none.
 */
export function cachePaths(pattern: string, root = ''): readonly string[] {
  const [, before = '', choices, after = ''] =
    /^([^{}*]*)(?:\{([^{}*]*)\})?([^{}*]*)\/\*\*$/.exec(pattern) ?? []
  return (choices ?? '')
    .split(',')
    .map((choice) => posix.join(root, `${before}${choice}${after}`))
    .filter(isPlainPath)
}
