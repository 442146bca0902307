import type { BuildSettings } from '../project/project.ts'
import type { Configuration } from './config/configuration.ts'
import { invalidConfig } from './config/json.ts'
import { buildScriptOf, type PackageJson } from './config/package-json.ts'
import { detectFramework, type Framework, frameworkOf } from './framework/frameworks.ts'
import type { BuildStep } from './plan.ts'
import { type Repository, repositoryBuild } from './repository-build.ts'
import { readFolder, type SourceTree } from './source-tree.ts'

/** What the configuration file, the project and the framework say together, in this order. */
export interface Settings {
  readonly framework: Framework | undefined
  /** Null: the package manager's own. Empty: none. */
  readonly installCommand: string | null
  readonly build: BuildStep | undefined
  /** As somebody, or the tool that builds the repository, has set it; where the framework decides, null. */
  readonly buildCommand: string | null
  readonly outputDirectory: string | null
}

type ProjectCommands = Pick<
  BuildSettings,
  'framework' | 'installCommand' | 'buildCommand' | 'outputDirectory'
>

export async function settle(
  tree: SourceTree,
  pkg: PackageJson | undefined,
  project: ProjectCommands,
  file: Configuration,
  repository: Repository | undefined,
): Promise<Settings> {
  const pick = (key: keyof ProjectCommands): string | null => {
    const said = file[key]
    return said === undefined ? project[key] : said
  }
  const framework = await chooseFramework(tree, pkg, project.framework, file.framework)
  const said = pick('buildCommand')
  const buildCommand = said ?? (repository ? ((await repositoryBuild(repository, pkg)) ?? null) : null)
  const usualInstall = framework?.settings.installCommand
  return {
    framework,
    // A framework's own is for those that are no packages of Node, such as `bundle install`.
    installCommand:
      pick('installCommand') ??
      (pkg === undefined && usualInstall && 'value' in usualInstall ? usualInstall.value : null),
    build: buildStep(buildCommand, pkg, framework),
    buildCommand,
    outputDirectory: readOutputDirectory(pick('outputDirectory')),
  }
}

async function chooseFramework(
  tree: SourceTree,
  pkg: PackageJson | undefined,
  project: string | null,
  file: string | null | undefined,
): Promise<Framework | undefined> {
  if (file === null) return undefined
  const named = file ?? project
  return named === null ? detectFramework(tree, pkg) : frameworkOf(named)
}

function buildStep(
  command: string | null,
  pkg: PackageJson | undefined,
  framework: Framework | undefined,
): BuildStep | undefined {
  if (command !== null) return command.trim() === '' ? undefined : { kind: 'line', line: command }
  const usual = framework?.settings.buildCommand
  const script = buildScriptOf(pkg)
  if (script !== undefined && usual?.ignorePackageJsonScript !== true) return { kind: 'script', script }
  return usual?.value ? { kind: 'line', line: usual.value } : undefined
}

function readOutputDirectory(text: string | null): string | null {
  if (text === null || text.trim() === '') return null
  const folder = readFolder(text.trim())
  if (folder === undefined)
    throw invalidConfig(
      `The output directory ${JSON.stringify(text.slice(0, 80))} should be below the root directory.`,
    )
  return folder
}
