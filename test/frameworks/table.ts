import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { BUN } from '#builder/environment/toolchain/pinned-versions.ts'
import { FRAMEWORK_APPS, type FrameworkApp } from './frameworks.ts'

/** What came of an application. */
export interface Row {
  readonly app: FrameworkApp
  /** Why there is no site, where there is none. */
  readonly unbuilt: string | undefined
  readonly results: readonly { readonly what: string; readonly fault: string | undefined }[]
}

const PAGE = new URL('../../docs/frameworks.md', import.meta.url)

/**
 * Puts rows in the place of the last ones of their applications; the others stay as they are. What came of the same versions on
 * another processor is kept if it is the same.
 */
export function writeRows(rows: readonly Row[]): void {
  const lines = new Map(existsSync(PAGE) ? readLines(readFileSync(PAGE, 'utf8')) : [])
  for (const row of rows) lines.set(row.app.framework, lineOf(row, lines.get(row.app.framework)))
  const kept = FRAMEWORK_APPS.map((app) => lines.get(app.framework) ?? untried(app))
  writeFileSync(
    PAGE,
    `# Frameworks

\`npm run test:frameworks\` deploys small applications of \`test/apps\` and \`examples\`, and a large one that it writes
itself, one after another, on an installation of its own, visits them, and writes this table; \`npm run test:frameworks
next-14\` does so for one. How each is built is said in [Builds and functions](building.md).

| framework | version | Node | processor | what was tried | result |
|---|---|---|---|---|---|
${kept.join('\n')}

- The Python packages are those that the pip of the machine gets before the run; they are deployed as wheels with the
  application, so that its build needs no index.
- Remix 2 puts a \`Response\` of its own in the place of Node's, unless the future flag \`v3_singleFetch\` is set; that one has
  no \`Response.json\`. Use \`json\` of \`@remix-run/node\`.
- SolidStart 2 wants the plugin of Nitro 3 (\`nitro/vite\`). What it builds with the older \`@solidjs/vite-plugin-nitro-2\` answers
  500 on every path, under plain Node as well.

## Applications of others

Deployed with \`aloft --prod\` by hand, and used in Chromium:

| application | what it needed | what was tried | result |
|---|---|---|---|
| [sveltejs/realworld](https://github.com/sveltejs/realworld) 1.0.1: 42 source files, SvelteKit 2 with its Vercel adapter, pnpm, Node 20 by \`.nvmrc\` | one line changed: the address of its API, since the public one could not be reached from the machine. The API was a second deployment, a \`start\` script | lists with pages and tags, signing in (form actions, cookies), writing an article, Markdown, comments, profiles, the same after a reload | works |
| [vercel/next-app-router-playground](https://github.com/vercel/next-app-router-playground): 185 files, Cache Components, MDX | \`next\` 16.4.6 in the place of a canary whose compiler could not be had, and no fonts of Google, which could not be reached | the pages of layouts, loading, errors, parallel routes, route groups, contexts and every kind of cache, a page made on demand, moving from page to page | works; some prefetches of single segments that the build did not make are answered 404, and the page itself is fetched instead |
`,
  )
}

/** The column of them. */
const PROCESSOR = 3

const readLines = (page: string): [string, string][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => [line.split('|')[1]?.trim() ?? '', line])

const writeLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function lineOf({ app, unbuilt, results }: Row, before = ''): string {
  const { version, node } = versionsOf(app)
  const tried = app.tries.map(({ what }) => what).join(', ')
  const wrong = results.filter(({ fault }) => fault !== undefined).map(({ what }) => what)
  const result =
    unbuilt === undefined
      ? wrong.length === 0
        ? 'works'
        : `wrong: ${wrong.join(', ')}`
      : `not built: ${unbuilt}`
  const cells = [app.framework, version, node, process.arch, tried, result]
  const lineFor = (processors: string): string =>
    writeLine(cells.map((cell, at) => (at === PROCESSOR ? processors : cell.replaceAll('|', '\\|'))))
  const earlier = before.split(' | ')[PROCESSOR] ?? ''
  if (before === '' || before !== lineFor(earlier)) return lineFor(process.arch)
  return lineFor([...new Set([...earlier.split(', '), process.arch])].sort().join(', '))
}

function untried(app: FrameworkApp): string {
  const { version, node } = versionsOf(app)
  return `| ${app.framework} | ${version} | ${node} | | | not tried yet |`
}

function versionsOf({ files, package: name, python }: FrameworkApp): {
  readonly version: string
  readonly node: string
} {
  // There is one line of it, which no package.json names.
  if (name === 'bun') return { version: BUN, node: 'Bun' }
  if (python) return { version: python.package.split('==')[1] ?? 'unknown', node: 'Python 3' }
  const manifest = JSON.parse(String(files['package.json'])) as {
    readonly engines?: { readonly node?: string }
    readonly dependencies?: Record<string, string>
    readonly devDependencies?: Record<string, string>
  }
  const { engines, dependencies, devDependencies } = manifest
  return {
    version: { ...dependencies, ...devDependencies }[name] ?? 'unknown',
    node: engines?.node ?? "the project's",
  }
}
