import type { ProjectNodeVersion } from '#contract/api/node-versions.ts'
import type { CronSpec } from '../cron/cron.ts'
import type { ImageConfig } from '../output/image-config.ts'
import type { CodeRuntime } from '../output/output.ts'
import type { Route } from '../routing/route.ts'
import type { FunctionSetting } from './config/function-settings.ts'
import type { FunctionFile } from './framework/api-functions.ts'

/** What a build does, decided from the files as they were uploaded, before anything runs. */
export interface Plan {
  /** Relative to the source's root; empty for the root itself. */
  readonly root: string
  readonly nodeVersion: ProjectNodeVersion
  /** Programs in JavaScript run on Bun; builds go by Node all the same. */
  readonly bunVersion: string | undefined
  /** A line that ends with 0 where nothing is to be built. */
  readonly ignoreCommand: string | null
  /** The deployment's own rules, from its request or its configuration file. */
  readonly routes: readonly Route[] | undefined
  readonly cleanUrls: boolean
  readonly functions: readonly FunctionSetting[]
  /** What the configuration file wants to be requested on a schedule. */
  readonly crons: readonly CronSpec[]
  /** Where functions are to run, if the configuration file says it. */
  readonly regions: readonly string[] | undefined
  /** Which images can be had in which sizes, unless the build says it. */
  readonly images: ImageConfig | undefined
  /** What commands find that the configuration file says, under what the request and the project do. */
  readonly buildEnv: Readonly<Record<string, string>>
  /** That of the variables which the framework puts into its pages. */
  readonly envPrefix: string | undefined
  /** What programs find, under the deployment's own variables. */
  readonly programEnv: Readonly<Record<string, string>>
  /** Uploaded files that the build does not get to see. */
  readonly hidden: (path: string) => boolean
  /** What the owner is told in the log before it begins. */
  readonly notes: readonly string[]
  /** What is told of there because it may not be what the owner wants. */
  readonly warnings: readonly string[]
  /** A file, relative to the source's root, that every request passes before anything else is served. */
  readonly middleware: string | undefined
  /** One after another. */
  readonly stages: readonly Stage[]
}

/** Commands in one folder, and what is taken from it afterwards. */
export interface Stage {
  /** The id of the build that it is told of. */
  readonly run: string
  /** Relative to the source's root. */
  readonly folder: string
  readonly installs: readonly Install[]
  /** What Python code needs. */
  readonly python: readonly PythonInstall[]
  readonly build: BuildStep | undefined
  readonly takes: readonly Take[]
  /** Folders that make the next build faster, relative to the source's root. */
  readonly caches: readonly string[]
}

/** One that does nothing. */
export const EMPTY_STAGE = {
  installs: [],
  python: [],
  build: undefined,
  takes: [],
  caches: [],
} as const satisfies Omit<Stage, 'run' | 'folder'>

export interface Install {
  readonly folder: string
  /** In place of the package manager's own, which null stands for; an empty one does nothing. */
  readonly command: string | null
}

export interface PythonInstall {
  /** Of the code that they are for. */
  readonly folder: string
  /** A file in it, or below it, that lists the packages, whichever tool wrote it. */
  readonly list: string
}

export type BuildStep =
  /** For a shell inside the sandbox. */
  | { readonly kind: 'line'; readonly line: string }
  /** Of package.json, by the project's package manager. */
  | { readonly kind: 'script'; readonly script: string }
  | { readonly kind: 'program'; readonly argv: readonly string[] }
  | CliStep

/** The whole build by the CLI of the Build Output API's makers, which knows this framework by heart. */
export interface CliStep {
  readonly kind: 'cli'
  readonly framework: string
  readonly buildCommand: string | null
  readonly outputDirectory: string | null
  /** Files that are taken before: its way with functions in Python is another one. Relative to the source's root. */
  readonly without: readonly string[]
}

export type Take =
  | UploadedTake
  /** `.vercel/output` below the folder; what the CLI or an adapter wrote, or the upload itself. */
  | { readonly kind: 'build-output'; readonly folder: string }
  | BuiltTake
  | FunctionsTake
  | ServerTake
  /** An image that is built from this file. */
  | { readonly kind: 'image'; readonly dockerfile: string }
  /** The whole folder with what is run in it. */
  | { readonly kind: 'command'; readonly root: string; readonly command: readonly string[] }

/** Files as they were uploaded, under the paths at which they are served. */
export interface UploadedTake {
  readonly kind: 'uploaded'
  readonly files: readonly ServedFile[]
}

export interface ServedFile {
  /** Relative to the source's root. */
  readonly source: string
  /** At which it is served. */
  readonly path: string
}

/** Functions from their sources. */
export interface FunctionsTake {
  readonly kind: 'functions'
  readonly root: string
  readonly functions: readonly FunctionFile[]
  readonly routes: readonly Route[]
}

/** What a build command left: `.vercel/output` where there is one, else the first of the folders that has files. */
export interface BuiltTake {
  readonly kind: 'built'
  /** Relative to the source's root. */
  readonly base: string
  /** Relative to the base, best first. */
  readonly folders: readonly string[]
  /** Under which the files are served. */
  readonly mount: string
  /** That it is no failure where there is none. */
  readonly optional: boolean
  /** Rules for the folder's files; a `.vercel/output` has its own. */
  readonly routes: readonly Route[]
}

/** One program that answers every path for which there is no file. */
export interface ServerTake {
  readonly kind: 'server'
  readonly root: string
  readonly runtime: CodeRuntime
  /** Relative to the root, best first; the first that exists after the build is loaded. */
  readonly entries: readonly string[]
  /** A folder of files that are served without it. */
  readonly publicFolder: string | undefined
  /** Variables of the program, under the deployment's own. */
  readonly env?: Readonly<Record<string, string>>
  /** Under which it is served. */
  readonly mount: string
}
