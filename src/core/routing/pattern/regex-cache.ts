import { compileRegex, type Regex } from './regex-engine.ts'

/** Instructions of all regexes kept, nearly a kilobyte each. The largest route table just fits. */
const MAX_SIZE = 30_000

const regexes = new Map<string, Regex>()
let size = 0

/**
 * Like `compileRegex`, with what was used last at hand: the deployments of a project have the same routes, and
 * compiling one takes a tenth of a millisecond.
 */
export function cachedRegex(source: string, isCaseSensitive = false, compile = compileRegex): Regex {
  const key = `${isCaseSensitive ? 'with' : 'without'} case ${source}`
  const regex = regexes.get(key) ?? compile(source, isCaseSensitive)
  if (regexes.delete(key)) size -= regex.size
  // Set last, a regex is the newest in the map's order.
  regexes.set(key, regex)
  size += regex.size
  for (const [oldest, { size: freed }] of regexes) {
    if (size <= MAX_SIZE) break
    regexes.delete(oldest)
    size -= freed
  }
  return regex
}
