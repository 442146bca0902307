import { AloftError, invalidRequest } from '#contract/errors.ts'
import { compilePathOrGlob, type GlobBudget, GlobError, globBudget } from '#contract/glob/glob.ts'
import { newId } from '#contract/ids.ts'
import { inSlices } from '../slices.ts'
import type { Build, BuildSpec } from './deployment.ts'

const BUILDERS = ['static', 'node', 'static-build', 'next', 'python', 'docker'] as const
type Builder = (typeof BUILDERS)[number]

export interface BuildInput {
  readonly src?: string
  readonly use: string
  readonly config?: Readonly<Record<string, unknown>>
}

/** Names that other platforms' clients use for the same builders, with or without a version. */
const USE = /^@(?:aloft|platform|now|vercel)\/([a-z-]+)(?:@.+)?$/

export function builderOf(use: string): Builder {
  const name = USE.exec(use)?.[1]
  if (name === undefined || !(BUILDERS as readonly string[]).includes(name))
    throw invalidRequest(
      `there is no builder ${JSON.stringify(use)}. Available: ${BUILDERS.map((b) => `@aloft/${b}`).join(', ')}`,
    )
  return name as Builder
}

export function readBuilds(inputs: readonly BuildInput[]): BuildSpec[] {
  return inputs.map(({ src = '**', use, config = {} }) => {
    builderOf(use)
    try {
      compilePathOrGlob(src.replace(/^\.?\//, ''))
    } catch (error) {
      refuse(src, error)
    }
    return { src, use, config }
  })
}

/** Patterns are relative to the root directory, or to the source's root, as requests may say. Rejects with a `GlobError`. */
export async function matchedPaths(
  src: string,
  paths: readonly string[],
  root: string,
  budget?: GlobBudget,
): Promise<readonly string[]> {
  const glob = compilePathOrGlob(src.replace(/^\.?\//, ''), budget)
  const found: string[] = []
  const below: string[] = []
  await inSlices(paths, (path) => {
    if (glob.matches(path)) found.push(path)
    if (root !== '' && glob.matches(`${root}/${path}`)) below.push(path)
  })
  return found.length > 0 ? found : below
}

export type BuildRun = Pick<Build, 'id' | 'use' | 'config' | 'path'>

/** One for each of the builds that a request asks for. An entry that matches no file is a mistake. */
export async function runsOf(
  specs: readonly BuildSpec[],
  paths: readonly string[],
  root: string,
): Promise<readonly BuildRun[]> {
  const inRoot = root === '' ? paths : paths.flatMap((path) => below(path, root))
  const unmatched: string[] = []
  const runs: BuildRun[] = []
  const budget = globBudget()
  for (const { src, use, config } of specs) {
    const matched = await matchedPaths(src, inRoot, root, budget).catch((error) => refuse(src, error))
    if (matched.length === 0) unmatched.push(src)
    const path = matched.length === 1 ? (matched[0] as string) : src
    runs.push({ id: newId.build(), use, path, config })
  }
  if (unmatched.length > 0)
    throw new AloftError(
      'unreferenced_build_specifications',
      `No file matches the \`src\` of these builds: ${unmatched.map((src) => JSON.stringify(src)).join(', ')}.`,
      { unreferencedBuildSpecs: unmatched },
    )
  return runs
}

function refuse(src: string, error: unknown): never {
  if (!(error instanceof GlobError)) throw error
  throw invalidRequest(
    `the \`src\` of a build, ${JSON.stringify(src.slice(0, 80))}, cannot be used as a pattern: ${error.message}`,
  )
}

const below = (path: string, folder: string): readonly string[] =>
  path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []
