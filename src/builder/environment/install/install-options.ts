import type { BuildLog } from '#core/log/write/build-log.ts'
import type { NodeToolchain, PackageTool } from '../toolchain/toolchain.ts'
import type { RunOptions } from '../workspace.ts'

export type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun'

export interface InstallOptions {
  /** Relative to the source's root: where package.json is, and where commands run. */
  readonly root?: string
  readonly node: NodeToolchain
  /** In place of the package manager's own; an empty one skips the installation. */
  readonly installCommand?: string | null
  readonly log: BuildLog
  readonly run?: string
  readonly env?: RunOptions['env']
  /** Lines that the build will run later, for the package managers that they name to be there. */
  readonly commands?: readonly string[]
}

export interface Installed {
  readonly manager: PackageManagerName
  /** For the `tools` of later commands. */
  readonly tools: readonly PackageTool[]
  /** `skipped`: no package.json or one that names no packages, or an empty command. */
  readonly how: 'installed' | 'unchanged' | 'skipped'
}
