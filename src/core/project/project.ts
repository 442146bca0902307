import type { ProjectNodeVersion } from '#contract/api/node-versions.ts'
import { newId } from '#contract/ids.ts'
import { DEFAULT_DETAILS, type ProjectDetails } from './project-details.ts'

/** A line of deployments under one name. */
export interface Project {
  readonly id: string
  readonly ownerId: string
  readonly name: string
  /** The host that always shows the newest deployment; allocated with the first one. */
  readonly defaultHost: string | null
  readonly directoryListing: boolean
  readonly build: BuildSettings
  readonly details: ProjectDetails
  readonly createdAt: number
  readonly updatedAt: number
}

/** How the project's deployments are built. Null: whatever the framework or package.json says. */
export interface BuildSettings {
  /** The slug of a framework, such as `nextjs`. */
  readonly framework: string | null
  /** Commands are lines for a shell that runs inside the sandbox. An empty one is skipped. */
  readonly installCommand: string | null
  readonly buildCommand: string | null
  readonly devCommand: string | null
  /** Ends with 0: nothing is built and the deployment is given up. */
  readonly commandForIgnoringBuildStep: string | null
  /** Relative to the root directory. */
  readonly outputDirectory: string | null
  /** Relative to the deployment's files; where commands run. */
  readonly rootDirectory: string | null
  readonly nodeVersion: ProjectNodeVersion
  /** Whether builds may read what is beside the root directory. */
  readonly sourceFilesOutsideRootDirectory: boolean
}

export const DEFAULT_BUILD_SETTINGS: BuildSettings = {
  framework: null,
  installCommand: null,
  buildCommand: null,
  devCommand: null,
  commandForIgnoringBuildStep: null,
  outputDirectory: null,
  rootDirectory: null,
  nodeVersion: '20.x',
  sourceFilesOutsideRootDirectory: true,
}

/** A project with nothing set yet. */
export const newProject = (
  ownerId: string,
  name: string,
  now: number,
  build = DEFAULT_BUILD_SETTINGS,
): Project => ({
  id: newId.project(),
  ownerId,
  name,
  defaultHost: null,
  directoryListing: false,
  build,
  details: DEFAULT_DETAILS,
  createdAt: now,
  updatedAt: now,
})
