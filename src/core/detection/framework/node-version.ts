import Range from 'semver/classes/range.js'
import { PROJECT_NODE_VERSIONS, type ProjectNodeVersion } from '#contract/api/node-versions.ts'

const MAX_RANGE = 256
/** As version managers name whatever is newest. */
const NEWEST: ReadonlySet<string> = new Set(['lts/*', 'node', 'latest', 'current'])

/** All supported lines of which a range, such as that of `engines.node`, allows a version; the newest first. */
export function linesIn(text: string): readonly ProjectNodeVersion[] {
  const range = readRange(text)
  return range ? PROJECT_NODE_VERSIONS.filter((line) => range.intersects(new Range(line))) : []
}

/** A range of versions of Node.js as people write it; undefined where it is none. */
export function readRange(text: string): Range | undefined {
  if (text.length > MAX_RANGE) return undefined
  try {
    return new Range(NEWEST.has(text.trim()) ? '*' : text.replaceAll(',', ' '))
  } catch {
    return undefined
  }
}
