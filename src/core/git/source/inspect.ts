import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import { readPackageJson } from '../../detection/config/package-json.ts'
import { detectFramework, mayUseFramework } from '../../detection/framework/frameworks.ts'
import { folderOf, type SourceTree, sourceTree } from '../../detection/source-tree.ts'
import { GitError } from '../git-repositories.ts'
import { remoteProblem } from '../host/remote-problem.ts'
import { type NamedRepository, type ThroughHostParts, throughHost } from '../host/through-host.ts'
import { type GitRemotes, isOverSsh, type RemoteAccess, type RemoteSnapshot, readAddress } from './source.ts'

interface InspectedFolder {
  /** Empty for the whole repository. */
  readonly path: string
  readonly framework: { readonly slug: string | null; readonly name: string } | null
  /** Names of variables that it has an example of. */
  readonly variables: readonly string[]
}

interface Inspection {
  readonly branch: string
  readonly branches: readonly string[]
  readonly commit: string
  /** Where a site or a program could be; the whole repository first. */
  readonly folders: readonly InspectedFolder[]
  /** Which of them is the likeliest. */
  readonly rootDirectory: string
}

interface InspectParts extends Omit<ThroughHostParts, 'credentials'> {
  readonly credentials: ThroughHostParts['credentials'] & {
    through(
      connection: Parameters<ThroughHostParts['credentials']['connection']>[0],
      url: string,
    ): Promise<RemoteAccess>
  }
  readonly remotes: Pick<GitRemotes, 'refs' | 'look'>
}

export type Inspect = (
  ctx: Context,
  given: NamedRepository & { readonly username?: string | undefined; readonly branch?: string | undefined },
) => Promise<Inspection>

const MAX_DEPTH = 4
const MAX_FOLDERS = 40
/** Of a larger repository those that are the least deep: what says what a folder is stands at its top. */
const MAX_FILES = 20_000
const MAX_BRANCHES = 100
const MAX_VARIABLES = 50
const EXAMPLES = ['.env.example', '.env.sample', '.env.template'] as const
const PASSED_BY = /(?:^|\/)(?:node_modules|vendor|\.[^/]+)(?:\/|$)/

/** Tells what a repository elsewhere holds before there is a project for it. Nothing of it is kept. */
export const createInspect =
  (parts: InspectParts): Inspect =>
  async (ctx, given) => {
    const access = await accessTo(parts, ctx, given)
    const source = { url: access.url, connectionId: given.connectionId ?? null }
    const signal = AbortSignal.timeout(MINUTE)
    try {
      const { refs, head } = await parts.remotes.refs(access, signal)
      const branches = [...refs.keys()].map((ref) => ref.slice('refs/heads/'.length))
      const branch = branchOf(given.branch, branches, head)
      const inspected = await parts.remotes.look(access, branch, foldersIn, signal)
      return { branch, branches: branches.sort().slice(0, MAX_BRANCHES), ...inspected }
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      throw new AloftError(
        'bad_request',
        `The repository could not be read: ${remoteProblem(error, source)}`,
        {},
        { cause: error },
      )
    }
  }

async function accessTo(
  parts: InspectParts,
  ctx: Context,
  given: Parameters<Inspect>[1],
): Promise<RemoteAccess> {
  const through = await throughHost(parts, ctx, given)
  if (through) return parts.credentials.through(through.connection, through.url)
  const { url, username, token } = readAddress(given.url ?? '')
  if (isOverSsh({ url }))
    throw new AloftError(
      'bad_request',
      'Repositories over SSH are read with the key of a project. Create the project first.',
    )
  return { url, username: given.username ?? username, token: given.token ?? token }
}

function branchOf(given: string | undefined, branches: readonly string[], head: string | undefined): string {
  const found = given ?? [head, 'main', 'master', ...branches].find((name) => branches.includes(name ?? ''))
  if (found === undefined)
    throw new AloftError('bad_request', 'The repository has no commits yet. Push a branch to it first.')
  // Only what the host itself has listed is asked for.
  if (!branches.includes(found))
    throw new AloftError(
      'bad_request',
      `The repository has no branch ${JSON.stringify(found.slice(0, 100))}.`,
    )
  return found
}

const depthOf = (path: string): number => path.split('/').length

async function foldersIn({
  commit,
  files,
  read,
}: RemoteSnapshot): Promise<Omit<Inspection, 'branch' | 'branches'>> {
  const seen = files
    .filter(({ path }) => !PASSED_BY.test(folderOf(path)))
    .map((file) => ({ ...file, depth: depthOf(file.path) }))
    .sort((a, b) => a.depth - b.depth)
    .slice(0, MAX_FILES)
    .map(({ path, oid }) => ({ path, oid, size: 0 }))
  const whole = sourceTree(seen, ({ oid }) => read(oid))
  const likely = [...new Set(seen.map(({ path }) => folderOf(path)))]
    .filter((folder) => folder !== '' && depthOf(folder) <= MAX_DEPTH && isSite(whole, folder))
    .sort()
    .slice(0, MAX_FOLDERS)
  const folders: InspectedFolder[] = []
  for (const path of ['', ...likely]) folders.push(await inspectFolder(whole.within(path), path))
  return { commit, folders, rootDirectory: likeliest(whole, folders) }
}

/** Pages count only near the top: below it they are parts of something. */
const isSite = (tree: SourceTree, folder: string): boolean =>
  tree.has(`${folder}/package.json`) ||
  (depthOf(folder) === 1 && tree.has(`${folder}/index.html`)) ||
  mayUseFramework({ ...tree, has: (path) => tree.has(`${folder}/${path}`) })

async function inspectFolder(tree: SourceTree, path: string): Promise<InspectedFolder> {
  const example = EXAMPLES.find((name) => tree.has(name))
  const text = example === undefined ? undefined : await tree.text(example)
  const framework = await readPackageJson(tree)
    .then((pkg) => detectFramework(tree, pkg))
    // What is wrong with a file is told by the build.
    .catch(() => undefined)
  return {
    path,
    framework: framework ? { slug: framework.slug, name: framework.name } : null,
    variables: variablesIn(text ?? ''),
  }
}

/** Those that an example of a `.env` file sets. Blanks end with their line: else each empty one would be looked at from all before it. */
export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^\uFEFF?[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{0,255})[ \t]*=/gm)]
    .flatMap(([, name]) => (name === undefined ? [] : [name]))
    .slice(0, MAX_VARIABLES)

/** The whole repository, unless there is nothing to serve at its top and one folder has a framework. */
function likeliest(tree: SourceTree, [top, ...below]: readonly InspectedFolder[]): string {
  const written = below.filter(({ framework }) => framework !== null)
  const isTop = (top !== undefined && top.framework !== null) || tree.has('index.html')
  return isTop || written.length !== 1 ? '' : (written[0]?.path ?? '')
}
