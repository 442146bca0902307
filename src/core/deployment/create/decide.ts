import { newId } from '#contract/ids.ts'
import { BuildFailure } from '../../build/build-failure.ts'
import { readConfigurationAhead } from '../../detection/config/configuration.ts'
import type { IgnoredKey } from '../../detection/config/known-keys.ts'
import { type DetectionInput, detect, isAsUploaded } from '../../detection/detect.ts'
import { isFilesOnly, servedInPlace } from '../../detection/files-only.ts'
import type { Plan } from '../../detection/plan.ts'
import { type FilesByPath, readFolder, type SourceFile, sourceTree } from '../../detection/source-tree.ts'
import type { BuildSettings } from '../../project/project.ts'
import { type BuildRun, runsOf } from '../builds.ts'
import type { Failure } from '../deployment.ts'
import type { CreateDeployment, DeploymentRequest } from './read-deployment-request.ts'

/** What becomes of a deployment once its files are there. */
export type Work =
  | {
      readonly kind: 'files'
      readonly plan: Plan
      /** The files that are served, where each is at its own path; else it takes an output to say what is served. */
      readonly inPlace: readonly string[] | undefined
    }
  | { readonly kind: 'build' }
  | { readonly kind: 'failed'; readonly failure: Failure }

export interface Decision {
  readonly work: Work
  readonly runs: readonly BuildRun[]
  /** Where its own configuration file has its functions run. */
  readonly regions?: readonly string[] | undefined
  /** What an older client is told at once; others find it in the log. */
  readonly ignoredKeys?: readonly IgnoredKey[]
}

interface DecisionInput<File extends SourceFile> extends Pick<DetectionInput<File>, 'read' | 'docker'> {
  readonly files: FilesByPath<File>
  readonly command: Pick<CreateDeployment, 'type' | 'nodeVersion'>
  readonly requested: Pick<DeploymentRequest, 'builds' | 'routes' | 'env' | 'buildEnv'>
  readonly settings: BuildSettings
}

/** Whether a deployment is served as it is, has to be built, or cannot be. */
export async function decide<File extends SourceFile>(asked: DecisionInput<File>): Promise<Decision> {
  const { command, requested, settings, files } = asked
  const request = {
    builds: requested.builds,
    buildRuns: await requestedRuns(asked),
    routes: requested.routes,
    envKeys: [...requested.env.keys()],
    buildEnvKeys: [...requested.buildEnv.keys()],
    requestedType: command.type ?? null,
    nodeVersion: command.nodeVersion ?? null,
  }
  // Files of an older client's program may come later: what it is, is found out when they are there.
  if (command.type !== undefined && !isAsUploaded(request)) {
    const tree = sourceTree(files, asked.read).within(readFolder(settings.rootDirectory ?? '') ?? '')
    return { work: { kind: 'build' }, runs: request.buildRuns, ...(await readConfigurationAhead(tree)) }
  }
  try {
    const plan = await detect({ ...asked, settings, request })
    const { regions } = plan
    const runs =
      requested.builds.length > 0 ? request.buildRuns : [withBuilder(request.buildRuns, plan, files)]
    if (!isFilesOnly(plan)) return { work: { kind: 'build' }, runs, regions }
    const inPlace = servedInPlace(plan, requested.routes !== null)
    return { work: { kind: 'files', plan, inPlace }, runs, regions }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    const failure = { code: error.code, message: error.message, step: 'build' }
    return { work: { kind: 'failed', failure }, runs: request.buildRuns }
  }
}

/** Those that the request names, or the only one, for which the files have to say what it is. */
async function requestedRuns({
  command,
  requested,
  settings,
  files,
}: Omit<DecisionInput<SourceFile>, 'read'>): Promise<readonly BuildRun[]> {
  const run = (use: string, path: string) => [{ id: newId.build(), use, path, config: {} }]
  if (requested.builds.length > 0) {
    return runsOf(requested.builds, [...files.keys()], readFolder(settings.rootDirectory ?? '') ?? '')
  }
  if (command.type === 'NPM') return run('@aloft/node', 'package.json')
  if (command.type === 'DOCKER') return run('@aloft/docker', 'Dockerfile')
  return run('@aloft/static', '**')
}

/** The builder that a request would have named for this plan. */
function withBuilder(
  [only]: readonly BuildRun[],
  plan: Plan,
  files: Pick<FilesByPath<unknown>, 'has'>,
): BuildRun {
  const run = only as BuildRun
  if (isFilesOnly(plan)) return run
  const takes = plan.stages.flatMap((stage) => stage.takes)
  const image = takes.find(({ kind }) => kind === 'image')
  if (image?.kind === 'image') return { ...run, use: '@aloft/docker', path: image.dockerfile }
  const python = takes.find((take) => take.kind === 'server' && take.runtime === 'python')
  if (python?.kind === 'server') return { ...run, use: '@aloft/python', path: python.entries[0] ?? '**' }
  const manifest = plan.root === '' ? 'package.json' : `${plan.root}/package.json`
  return { ...run, use: '@aloft/node', path: files.has(manifest) ? manifest : '**' }
}
