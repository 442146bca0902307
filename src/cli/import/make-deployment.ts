import type { Client } from '#client/client.ts'
import type { DeployEvent } from '#client/deploy/deploy-event.ts'
import { deployFiles } from '#client/deploy/deploy-files.ts'
import type { MemoryFile } from '#client/deploy/memory-file.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import { DOING } from '../deploy/reporter.ts'
import type { Source, SourceFile } from './source.ts'

/** Tells which deployment of the source one of ours was made from: what was brought once is not brought again. */
const IMPORTED = 'importedFrom'
const GIVEN_UP: ReadonlySet<string> = new Set(['ERROR', 'CANCELED'])

/** Ours that was made from one of the source. One whose build failed is none: it is tried again. */
export async function findImported(api: Client, deploymentId: string): Promise<string | undefined> {
  const query = { [`meta-${IMPORTED}`]: deploymentId, limit: 20 }
  const { deployments } = await api.call(listDeployments, { query })
  return deployments.find(({ state }) => !GIVEN_UP.has(state))?.uid
}

interface FoundFile {
  readonly path: string
  readonly file: SourceFile
}

/** Folders in folders, as one list of paths. */
function* entriesIn(tree: readonly SourceFile[], above = ''): Generator<FoundFile> {
  for (const file of tree)
    if (file.children) yield* entriesIn(file.children, `${above}${file.name}/`)
    else yield { path: `${above}${file.name}`, file }
}

const FORMAT = 0o170000
const REGULAR = 0o100000
const SYMLINK = 0o120000
/** Where other platforms keep what was deployed, beside what they made of it. */
const SOURCES = 'src/'
const MADE = 'out/'

const isSymlink = ({ type, mode = 0 }: SourceFile): boolean =>
  type === 'symlink' || (mode & FORMAT) === SYMLINK

/** What was deployed, without what the source made of it. */
async function readDeployed(source: Source, deploymentId: string): Promise<readonly FoundFile[]> {
  const found = [...entriesIn(await source.files(deploymentId))]
  const isKeptApart =
    found.some(({ path }) => path.startsWith(MADE)) && found.some(({ path }) => path.startsWith(SOURCES))
  return isKeptApart
    ? found
        .filter(({ path }) => path.startsWith(SOURCES))
        .map(({ path, file }) => ({ path: path.slice(SOURCES.length), file }))
    : found
}

/** Those of a deployment, which have no content that could be uploaded. */
export async function findSymlinks(source: Source, deploymentId: string): Promise<readonly string[]> {
  const found = await readDeployed(source, deploymentId)
  return found.filter(({ file }) => isSymlink(file)).map(({ path }) => path)
}

interface ImportRequest {
  readonly name: string
  readonly deploymentId: string
  readonly tell: (progress: string) => void
}

export async function makeDeployment(
  source: Source,
  api: Client,
  { name, deploymentId, tell }: ImportRequest,
): Promise<void> {
  const wanted = (await readDeployed(source, deploymentId)).filter(
    ({ file }) => file.type === 'file' && file.uid !== undefined && !isSymlink(file),
  )
  const files: MemoryFile[] = []
  for (const { path, file } of wanted) {
    tell(`downloading file ${files.length + 1} of ${wanted.length}`)
    const { uid = '', mode } = file
    const bytes = await source.content(deploymentId, uid)
    files.push({
      path,
      size: bytes.length,
      ...(mode !== undefined && (mode & FORMAT) === REGULAR ? { mode } : {}),
      bytes: () => bytes,
    })
  }
  const meta = { [IMPORTED]: deploymentId }
  for await (const event of deployFiles({
    client: api,
    name,
    target: 'production',
    meta,
    files,
    force: true,
  })) {
    const progress = progressOf(event)
    if (progress !== undefined) tell(progress)
    if (event.type === 'error')
      throw new Error(event.deployment.errorMessage ?? 'Its build failed: see `aloft logs`.')
  }
}

const progressOf = (event: DeployEvent): string | undefined =>
  event.type === 'missing'
    ? `uploading ${count(event.files, 'file')}`
    : event.type === 'state'
      ? DOING[event.state].toLowerCase()
      : undefined
