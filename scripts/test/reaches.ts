import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/** Imports of values, whether at once or later; those of types leave nothing at run time. */
const IMPORT = /\b(?:import|export)\s+(?!type\b)(?:[\w$*\s{},]+?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g

/** What is tested imports nothing of its tests; what they share does. */
const isFollowed = (file: string): boolean => /^test\/|[.-](?:test|testing|suite)\.ts$/.test(file)

function pathOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#test/')) return `test/${specifier.slice('#test/'.length)}`
  if (specifier.startsWith('#src/')) return `src/${specifier.slice('#src/'.length)}`
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  return specifier.startsWith('.') ? join(dirname(from), specifier) : undefined
}

function importsOf(root: string, file: string): readonly string[] {
  let source: string
  try {
    source = readFileSync(join(root, file), 'utf8')
  } catch {
    // Programs that tests write have imports as well.
    return []
  }
  return [...source.matchAll(IMPORT)].flatMap(([, at, later]) => pathOf(file, at ?? later ?? '') ?? [])
}

/** Whether a test file comes to another, by whatever it and its helpers import. */
export function createReaches(root: string, target: string): (file: string) => boolean {
  const known = new Map<string, readonly string[]>()
  const reaches = (file: string, seen: Set<string>): boolean => {
    if (file === target) return true
    if (seen.has(file) || !isFollowed(file)) return false
    seen.add(file)
    const imports = known.get(file) ?? importsOf(root, file)
    known.set(file, imports)
    return imports.some((each) => reaches(each, seen))
  }
  return (file) => reaches(file, new Set())
}
