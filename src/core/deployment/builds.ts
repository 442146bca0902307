import { AloftError } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import { compilePathOrGlob, type Glob, type GlobBudget, GlobError, globBudget } from '../glob/glob.ts'
import { inSlices } from '../slices.ts'
import type { Build, BuildSpec } from './deployment.ts'

export const BUILDERS = ['static', 'node', 'static-build', 'next', 'python', 'docker'] as const
export type Builder = (typeof BUILDERS)[number]

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
    throw new AloftError(
      'bad_request',
      `Invalid request: there is no builder ${JSON.stringify(use)}; there are ${BUILDERS.map((b) => `@aloft/${b}`).join(', ')}.`,
    )
  return name as Builder
}

export function readBuilds(inputs: readonly BuildInput[]): BuildSpec[] {
  return inputs.map(({ src = '**', use, config = {} }) => {
    builderOf(use)
    globOf(src)
    return { src, use, config }
  })
}

const globOf = (src: string, budget?: GlobBudget): Glob =>
  orRefuse(src, () => compilePathOrGlob(src.replace(/^\//, ''), budget))

function orRefuse<T>(src: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (!(error instanceof GlobError)) throw error
    throw new AloftError(
      'bad_request',
      `Invalid request: the \`src\` of a build, ${JSON.stringify(src.slice(0, 80))}, cannot be used as a pattern: ${error.message}.`,
    )
  }
}

export interface BuildPlan {
  readonly runs: readonly Pick<Build, 'id' | 'use' | 'config' | 'path'>[]
  /** The files that are served as they are; undefined stands for all of them. */
  readonly served: ReadonlySet<string> | undefined
  /** What has to be built before anything can be served. */
  readonly unbuilt: readonly Builder[]
}

interface Paths {
  readonly paths: readonly string[]
  /** Whether the files ask for a build, when nothing else is said. */
  readonly wantsBuild: boolean
}

/** What has to be done to files before they are served. An entry that matches no file is a mistake. */
export async function planBuilds(
  specs: readonly BuildSpec[],
  { paths, wantsBuild }: Paths,
): Promise<BuildPlan> {
  const run = (use: string, path: string, config: BuildSpec['config'] = {}) => ({
    id: newId.build(),
    use,
    path,
    config,
  })
  if (specs.length === 0)
    return wantsBuild
      ? {
          runs: [run('@aloft/node', paths.includes('package.json') ? 'package.json' : '**')],
          served: undefined,
          unbuilt: ['node'],
        }
      : { runs: [run('@aloft/static', '**')], served: undefined, unbuilt: [] }

  const served = new Set<string>()
  const unmatched: string[] = []
  const budget = globBudget()
  const runs: BuildPlan['runs'][number][] = []
  for (const { src, use, config } of specs) {
    const glob = globOf(src, budget)
    const matched: string[] = []
    await inSlices(paths, (path) => {
      if (orRefuse(src, () => glob.matches(path))) matched.push(path)
    })
    if (matched.length === 0) unmatched.push(src)
    if (builderOf(use) === 'static') for (const path of matched) served.add(path)
    runs.push(run(use, matched.length === 1 ? (matched[0] as string) : src, config))
  }
  if (unmatched.length > 0)
    throw new AloftError(
      'unreferenced_build_specifications',
      `No file matches the \`src\` of these builds: ${unmatched.map((src) => JSON.stringify(src)).join(', ')}.`,
      { unreferencedBuildSpecs: unmatched },
    )
  const unbuilt = [...new Set(specs.map(({ use }) => builderOf(use)))].filter(
    (builder) => builder !== 'static',
  )
  return { runs, served, unbuilt }
}

/** Files that say by being there that a deployment is more than what it consists of. */
const TELLING =
  /^(?:(?:vercel|now|aloft)\.json|\.vercel\/output\/config\.json|api\/(?:.*\/)?[^_./][^/]*\.(?:[cm]?[jt]s|[jt]sx|py))$/

/** Whether files want to be built, as far as their names tell. */
export const tellsOfBuild = (paths: readonly string[]): boolean => paths.some((path) => TELLING.test(path))

/** Programs that listen by themselves, and frameworks that are built by default. */
const BUILT_PACKAGES = new Set(
  (
    '@nestjs/core express fastify h3 hono koa ' +
    '@angular/cli @remix-run/dev @sveltejs/kit @vue/cli-service astro gatsby next nuxt react-scripts vite vitepress'
  ).split(' '),
)

const BUILD_SCRIPTS = ['vercel-build', 'now-build', 'build'] as const

/** Whether a package.json asks for a build. One that is not JSON asks for nothing. */
export function asksForBuild(packageJson: Buffer | undefined): boolean {
  if (packageJson === undefined) return false
  try {
    const { scripts, dependencies, devDependencies } = JSON.parse(packageJson.toString('utf8'))
    return (
      BUILD_SCRIPTS.some((name) => typeof scripts?.[name] === 'string') ||
      Object.keys({ ...dependencies, ...devDependencies }).some((name) => BUILT_PACKAGES.has(name))
    )
  } catch {
    return false
  }
}
