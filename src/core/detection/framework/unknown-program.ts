import { BuildFailure } from '../../build/build-failure.ts'
import type { PackageJson } from '../config/package-json.ts'
import type { SourceTree } from '../source-tree.ts'
import { isInApi } from './api-functions.ts'
import { PYTHON_MANIFESTS } from './python-server.ts'

/** Files in the topmost folder that only a program has, in languages that are not built here. */
const MANIFESTS: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/^go\.mod$/, 'Go'],
  [/^Cargo\.toml$/, 'Rust'],
  [/^(?:Gemfile|config\.ru)$/, 'Ruby'],
  [/^(?:composer\.json|[^/]+\.php)$/, 'PHP'],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?|build\.xml)$/, 'Java'],
  [/^build\.sbt$/, 'Scala'],
  [/^project\.clj$|^deps\.edn$/, 'Clojure'],
  [/^mix\.exs$/, 'Elixir'],
  [/^rebar\.config$/, 'Erlang'],
  [/^Package\.swift$/, 'Swift'],
  [/^[^/]+\.(?:csproj|fsproj|vbproj|sln)$/, '.NET'],
  [/^pubspec\.yaml$/, 'Dart'],
  [/^(?:stack\.yaml|[^/]+\.cabal)$/, 'Haskell'],
  [/^shard\.yml$/, 'Crystal'],
  [/^(?:CMakeLists\.txt|meson\.build)$/, 'C or C++'],
  [/^deno\.jsonc?$/, 'Deno'],
]

/** How to have files served whatever they are. */
const AS_THEY_ARE =
  'To publish the files as they are, set the output directory (`.` for all of them) in the project or as `outputDirectory` in vercel.json, or send `builds` with `@aloft/static`.'

const unknown = (what: string, advice: string): BuildFailure =>
  new BuildFailure('unknown_program', `${what} ${advice} ${AS_THEY_ARE}`)

/** In languages that hosted platforms run below `api`, and that are not run here. */
const FUNCTION_LANGUAGES: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/(?<!_test)\.go$/, 'Go'],
  [/\.rb$/, 'Ruby'],
  [/\.rs$/, 'Rust'],
  [/\.php$/, 'PHP'],
]

/** A function that is in no language that is run: without it, visitors would find nothing where it should answer, or read it. */
export function foreignFunction(tree: SourceTree): BuildFailure | undefined {
  const candidates = tree.paths.filter(isInApi)
  for (const [pattern, language] of FUNCTION_LANGUAGES) {
    const file = candidates.find((path) => pattern.test(path))
    if (file !== undefined)
      return unknown(
        `${file} is a function in ${language}, which cannot be run here.`,
        'Functions are written in JavaScript, TypeScript or Python. Rewrite it, or leave it out with a line in .vercelignore.',
      )
  }
  return undefined
}

interface Suspect {
  readonly tree: SourceTree
  readonly pkg: PackageJson | undefined
  /** Whether functions, or a middleware, are what is run of it. */
  readonly isRun: boolean
}

/**
 * What would publish source code: files that are plainly a program, and of which nothing here is known to run. Undefined
 * where they are a site.
 */
export function unknownProgram({ tree, pkg, isRun }: Suspect): BuildFailure | undefined {
  const top = tree.paths.filter((path) => !path.includes('/'))
  for (const [pattern, language] of MANIFESTS) {
    const file = top.find((path) => pattern.test(path))
    if (file !== undefined)
      return unknown(
        `These files are a program written in ${language} (${file}), which cannot be built or run here.`,
        'Add a Dockerfile to deploy it as an image, on a server with ALOFT_RUNTIME=docker.',
      )
  }
  const image = top.find((path) => /^(?:Dockerfile|Containerfile)(?:\.\w+)?$/.test(path))
  if (image !== undefined)
    return unknown(
      `These files are an image (${image}), and this server cannot run images: it was started with ALOFT_RUNTIME=process.`,
      'Ask your operator to start it with ALOFT_RUNTIME=docker.',
    )
  if (isRun) return undefined
  return pythonProgram(tree, top) ?? nodeProgram(tree, top, pkg)
}

const hasPage = (tree: SourceTree): boolean => tree.has('index.html') || tree.hasFolder('public')

function pythonProgram(tree: SourceTree, top: readonly string[]): BuildFailure | undefined {
  const script = tree.paths.find((path) => path.endsWith('.py'))
  const manifest = PYTHON_MANIFESTS.find((name) => tree.has(name))
  const isProgram =
    tree.has('manage.py') ||
    (script !== undefined && manifest !== undefined) ||
    (top.some((path) => path.endsWith('.py')) && !hasPage(tree))
  return isProgram
    ? unknown(
        `These files are a Python program (${tree.has('manage.py') ? 'manage.py' : script}), but no file that handles requests was found.`,
        'Name the WSGI or ASGI application `app` or `application` in app.py, main.py, index.py, server.py, wsgi.py or asgi.py, or put functions in `api`.',
      )
    : undefined
}

function nodeProgram(
  tree: SourceTree,
  top: readonly string[],
  pkg: PackageJson | undefined,
): BuildFailure | undefined {
  if (hasPage(tree)) return undefined
  if (pkg === undefined)
    return top.some((path) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path))
      ? unknown(
          'These files are a TypeScript program without a package.json, and no file that handles requests was found.',
          'Add a package.json with a `start` or `build` script, or put functions in `api`.',
        )
      : undefined
  if (pkg.workspaces || tree.has('pnpm-workspace.yaml')) {
    const parts = tree.paths
      .filter((path) => /^[^/]+\/(?:[^/]+\/)?package\.json$/.test(path) && !path.includes('node_modules/'))
      .map((path) => path.slice(0, path.lastIndexOf('/')))
    return unknown(
      'These files are several packages in one repository, and the top-level package has no `build` or `start` script.',
      `Set the root directory of the project to the package to deploy${parts.length > 0 ? `, such as ${parts.slice(0, 3).join(' or ')}` : ''}.`,
    )
  }
  const isProgram = Object.keys(pkg.dependencies).length > 0 || pkg.main !== undefined
  return isProgram
    ? unknown(
        'package.json has neither a `build` nor a `start` script, and no file that handles requests was found.',
        'Add a `build` script that generates a site, a `start` script that runs a server on the port in `PORT`, or put functions in `api`.',
      )
    : undefined
}
