import { BuildFailure } from '../build/build-failure.ts'
import type { ManifestFile } from '../deployment/file/manifest.ts'
import { withCleanUrls } from '../output/clean-urls.ts'
import { mergeParts } from '../output/merge-parts.ts'
import type { Output } from '../output/output.ts'
import type { Plan, ServedFile, UploadedTake } from './plan.ts'

/** Nothing is run and nothing is packed: uploaded contents are what is served, so that there is nothing to wait for. */
export const isFilesOnly = ({ stages, ignoreCommand, middleware }: Plan): boolean =>
  ignoreCommand === null &&
  middleware === undefined &&
  stages.every(
    ({ installs, python, build, takes }) =>
      installs.length === 0 &&
      python.length === 0 &&
      build === undefined &&
      takes.every(({ kind }) => kind === 'uploaded'),
  )

/** What is served of a plan of files only, the later ones in the place of earlier ones. */
function servedFiles({ stages }: Plan): readonly ServedFile[] {
  const lists = stages.flatMap(({ takes }) =>
    takes.flatMap((take) => (take.kind === 'uploaded' ? [take.files] : [])),
  )
  return lists.length === 1 ? (lists[0] as readonly ServedFile[]) : lists.flat()
}

/**
 * The paths that visitors see, each once, where every file is served at its own path and by the request's rules alone. Undefined
 * where it takes an output to say what is served.
 */
export function servedInPlace(plan: Plan, requestHasRoutes: boolean): readonly string[] | undefined {
  if (plan.cleanUrls || plan.images !== undefined || (plan.routes !== undefined && !requestHasRoutes))
    return undefined
  const files = servedFiles(plan)
  if (!files.every(({ path, source }) => path === source)) return undefined
  const paths = files.map(({ path }) => path)
  return plan.stages.length === 1 ? paths : [...new Set(paths)]
}

/** What the files are served as. */
export function filesOutput(plan: Plan, manifest: readonly ManifestFile[]): Output {
  const files = uploadedFiles({ kind: 'uploaded', files: servedFiles(plan) }, manifest)
  const merged = mergeParts([files], plan.routes)
  return {
    ...merged,
    ...(plan.cleanUrls ? { files: withCleanUrls(merged.files) } : {}),
    ...(plan.images ? { images: plan.images } : {}),
  }
}

/** What was uploaded is in the blob store and in the account's index already. */
export function uploadedFiles({ files }: UploadedTake, manifest: readonly ManifestFile[]): Output {
  const known = new Map(manifest.map((file) => [file.path, file]))
  return {
    routes: undefined,
    files: files.flatMap(({ path, source }) => {
      const file = known.get(source)
      return file ? [{ path, sha1: file.sha1, sha256: file.sha256, size: file.size }] : []
    }),
    functions: [],
    programs: [],
  }
}

export const nothingToServe = (run?: string): BuildFailure =>
  new BuildFailure('missing_output', 'There are no files to serve.', run)
