import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expandBraces } from '#contract/glob/braces.ts'
import { matcherOf } from '../globs.ts'
import { isJunk } from '../packing.ts'

/** Of one name in a path. */
interface Step {
  /** Where that is enough: nothing has to be looked for. */
  readonly name: string | undefined
  readonly matches: (name: string) => boolean
}

/** What tools keep for themselves, some of it left by the build: a pattern has it where it names it, but not where it says all. */
const OF_TOOLS = /(?:^|\/)\.(?:[^/]*cache|[^/]+\/cache|venv|turbo|pnpm-store)$/

const isPlain = (name: string): boolean => !/[*?[\](){}|!+@]/.test(name)

function stepOf(name: string): Step | '**' {
  if (name === '**') return name
  if (isPlain(name)) return { name, matches: (other) => other === name }
  // Files may have such characters in their names, as those of routes have.
  const matches = matcherOf([name])
  return { name: undefined, matches: (other) => other === name || matches(other) }
}

/**
 * What a pattern names below a folder, files whose names begin with a dot among them: paths relative to the folder, which
 * may be of folders, or of nothing. Looks only into folders that the pattern can lead to.
 */
export function* includedFiles(root: string, pattern: string): Generator<string> {
  for (const one of expandBraces(pattern.replaceAll('\\', '/'))) {
    const names = one.split('/').filter((name) => name !== '' && name !== '.')
    const steps = names.filter((name, i) => name !== '**' || names[i - 1] !== '**').map(stepOf)
    yield* below(root, '', steps, 0)
  }
}

function* below(
  root: string,
  folder: string,
  steps: readonly (Step | '**')[],
  at: number,
): Generator<string> {
  const step = steps[at]
  if (step === undefined) return
  const isLast = at === steps.length - 1
  if (step !== '**' && step.name !== undefined) {
    const path = join(folder, step.name)
    yield* isLast ? [path] : below(root, path, steps, at + 1)
    return
  }
  if (step === '**' && !isLast) yield* below(root, folder, steps, at + 1)
  for (const entry of entriesOf(join(root, folder))) {
    if (isJunk(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory() && OF_TOOLS.test(path)) continue
    // Links may lead in a circle: they are followed only where the pattern has a name for them.
    if (step === '**') yield* entry.isDirectory() ? below(root, path, steps, at) : isLast ? [path] : []
    else if (step.matches(entry.name)) yield* isLast ? [path] : below(root, path, steps, at + 1)
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
