import type { Framework, FrameworkDetectionItem } from '@vercel/frameworks'
import { invalidConfig } from '../config/json.ts'
import { dependsOn, type PackageJson } from '../config/package-json.ts'
import type { SourceTree } from '../source-tree.ts'

export type { Framework }

/**
 * Only for what is not listed by its name alone: other languages, which have rules of their own here, and things that
 * are no frameworks.
 */
const NOT_DETECTED: readonly (string | null)[] = ['container', 'services', null]

/** The data is large and most deployments need none of it. */
const load = async (): Promise<readonly Framework[]> =>
  (await import('@vercel/frameworks')).frameworks as unknown as readonly Framework[]

export async function frameworkOf(slug: string): Promise<Framework> {
  const found = (await load()).find((framework) => framework.slug === slug)
  if (found) return found
  throw invalidConfig(`There is no framework ${JSON.stringify(slug.slice(0, 80))}.`)
}

const HUGO_FORMATS = ['toml', 'yaml', 'yml', 'json'] as const
const hugoFiles = (name: string): readonly string[] => HUGO_FORMATS.map((format) => `${name}.${format}`)
const HUGO_ALONE = ['hugo', 'config/_default/hugo', 'config/_default/config'].flatMap(hugoFiles)

/** Where a site of Hugo is set up; the first that is there counts. */
export const HUGO_FILES: readonly string[] = [...HUGO_ALONE, ...hugoFiles('config')]

/** By which else frameworks are known than what their data says: each of these will do. */
const KNOWN_BY: Readonly<Record<string, readonly FrameworkDetectionItem[]>> = {
  hugo: [...HUGO_ALONE.map((path) => ({ path })), { path: 'config.yml', matchContent: 'baseURL' }],
  jekyll: [{ path: '_config.toml' }],
  zola: [{ path: 'zola.toml' }],
  // Its own configuration and that of Vite may be modules by their names, and the former need not be there.
  'react-router': [{ matchPackage: '@react-router/dev' }],
}

/**
 * Without a package.json a framework is known by one of these. Most deployments have none of them and need not wait for
 * the data, which is large; a test compares the two.
 */
const WITHOUT_PACKAGE = [
  ...['config.yaml', 'config.toml', 'config.json', '_config.yml', 'config.rb', '.dojorc', 'sanity.json'],
  ...Object.values(KNOWN_BY).flatMap((items) => items.flatMap(({ path }) => path ?? [])),
  ...['requirements.txt', 'pyproject.toml', 'Pipfile', 'manage.py', 'brunch-config.js'],
  ...['blitz', 'remix', 'vite', 'react-router', 'hydrogen', 'sanity', 'xmcp'].flatMap((name) =>
    ['js', 'mjs', 'ts', 'jsx', 'tsx'].map((extension) => `${name}.config.${extension}`),
  ),
]

export const mayUseFramework = (tree: SourceTree): boolean =>
  tree.has('package.json') || WITHOUT_PACKAGE.some((path) => tree.has(path))

/** The framework that files are written for: of those that match the first, without the ones that it is built on. */
export async function detectFramework(
  tree: SourceTree,
  pkg: PackageJson | undefined,
): Promise<Framework | undefined> {
  if (!mayUseFramework(tree)) return undefined
  const candidates = (await load()).filter(isDetected)
  const matched: Framework[] = []
  for (const framework of candidates) if (await isUsed(framework, tree, pkg)) matched.push(framework)
  const superseded = new Set(matched.flatMap(({ supersedes }) => supersedes ?? []))
  // Each may be built on the other; then the first has to do.
  return matched.find(({ slug }) => slug !== null && !superseded.has(slug)) ?? matched[0]
}

export const isDetected = ({ slug, experimental, runtimeFramework }: Framework): boolean =>
  !experimental && !runtimeFramework && !NOT_DETECTED.includes(slug)

async function isUsed(
  { slug, detectors }: Framework,
  tree: SourceTree,
  pkg: PackageJson | undefined,
): Promise<boolean> {
  for (const item of KNOWN_BY[slug ?? ''] ?? []) if (await matches(item, tree, pkg)) return true
  const { every = [], some = [] } = detectors ?? {}
  if (every.length === 0 && some.length === 0) return false
  for (const item of every) if (!(await matches(item, tree, pkg))) return false
  if (some.length === 0) return true
  for (const item of some) if (await matches(item, tree, pkg)) return true
  return false
}

async function matches(
  { path, matchContent, matchPackage }: FrameworkDetectionItem,
  tree: SourceTree,
  pkg: PackageJson | undefined,
): Promise<boolean> {
  if (matchPackage !== undefined) return dependsOn(pkg, matchPackage)
  if (path === undefined || !tree.has(path)) return false
  if (matchContent === undefined) return true
  const text = path === 'package.json' ? dependencyText(pkg) : await tree.text(path)
  return text !== undefined && new RegExp(matchContent, 'm').test(text)
}

/**
 * The patterns for package.json look for names in its lists of dependencies, and take quadratic time for texts that
 * open many such lists. In this one there are two.
 */
const dependencyText = (pkg: PackageJson | undefined): string | undefined =>
  pkg && JSON.stringify({ dependencies: pkg.dependencies, devDependencies: pkg.devDependencies }, null, 2)

/** What builds these needs more than their own command: it is the work of the CLI that their makers provide. */
const CLI_RUNTIMES = ['@vercel/next', '@vercel/remix-builder', '@vercel/redwood', '@vercel/hydrogen']

export const needsCli = ({ useRuntime }: Framework): boolean =>
  useRuntime !== undefined && CLI_RUNTIMES.includes(useRuntime.use)

/** A server in JavaScript, of which one program answers everything. */
export const isNodeServer = ({ useRuntime, slug }: Framework): boolean =>
  slug === 'node' ||
  slug === 'bun' ||
  (useRuntime !== undefined &&
    /^@vercel\/(express|hono|h3|koa|nestjs|elysia|fastify|backends)$/.test(useRuntime.use))

export const isPythonServer = ({ useRuntime }: Framework): boolean => useRuntime?.use === '@vercel/python'
