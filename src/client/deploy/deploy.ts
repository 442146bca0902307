import { collectFiles } from './collect-files.ts'
import type { DeployEvent } from './deploy-event.ts'
import { type DeployRequest, deploySources } from './deploy-files.ts'
import { diskFile } from './disk-file.ts'

export interface DeployOptions extends DeployRequest {
  readonly folder: string
}

/**
 * Deploys a folder. It ends with `ready` or `error`, or with `created` when it is not to follow. It throws
 * `DeployError` where the folder is not fit, and what calls throw where the installation is not.
 */
export const deploy = (options: DeployOptions): AsyncGenerator<DeployEvent, void> =>
  deploySources(options, async (signal) => (await collectFiles(options.folder, signal)).map(diskFile))
