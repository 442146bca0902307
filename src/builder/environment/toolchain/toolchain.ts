/** A Node with the npm that fits it. */
export interface NodeToolchain {
  /** On the machine; holds `bin` and `lib` and is bound at `/opt/node`. */
  readonly folder: string
  /** Inside a sandbox. */
  readonly node: '/opt/node/bin/node'
  readonly version: string
}

/** Npm comes with Node; another one is only needed where a project asks for it. */
const PACKAGE_TOOLS = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageToolName = (typeof PACKAGE_TOOLS)[number]

export interface PackageTool {
  readonly name: PackageToolName
  readonly version: string
  /** On the machine; holds `bin` and is bound at `/opt/<name>`. */
  readonly folder: string
}

/** Called where something has to be waited for that is being downloaded, which may take a minute. */
export type OnDownload = () => Promise<void>

/** For the log of a build that waits for it. */
export const downloading = (what: string): string => `Downloading what is not on this machine yet: ${what}`

/**
 * The programs that builds and functions run on, fetched from the package registry when first asked for and kept.
 * Every verb may be called by many at once, also from several processes that share the folder.
 */
export interface Toolchains {
  /**
   * The line of Node that is used where this one is asked for: itself, or the next newer one that was ever published for
   * this machine, or else the next older one.
   */
  nodeLine(version: string): string
  /** Takes `20.x` and the like, or an exact version. Rejects with a `ToolchainError`. */
  ensureNode(version: string, onDownload?: OnDownload): Promise<NodeToolchain>
  /** The newest release of a line of Bun, such as `1.x`, for programs that run on it. Rejects with a `ToolchainError`. */
  ensureBun(line: string): Promise<PackageTool>
  /** Takes an exact version. Rejects with a `ToolchainError`. */
  ensureTool(name: PackageToolName, version: string, onDownload?: OnDownload): Promise<PackageTool>
}

/** `unknown_version`: there is no such thing, as far as the registry knows. `unavailable`: it could not be had now. */
type ToolchainFault = 'unknown_version' | 'unavailable'

export class ToolchainError extends Error {
  override readonly name = 'ToolchainError'
  readonly kind: ToolchainFault

  constructor(kind: ToolchainFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
