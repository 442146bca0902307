/**
 * `aloft/client/web`: the part of the client that needs nothing of Node, for pages and workers. It gathers names for
 * other programs, which see a package and not its files; code of ours imports the files.
 */
export { ApiError } from './api-error.ts'
export type { Trace } from './call/trace.ts'
export {
  type CallInput,
  type CallReply,
  type Client,
  type ClientSettings,
  createClient,
  type RawBody,
} from './client.ts'
export { ConnectionError, type ConnectionFailure } from './connection-error.ts'
export { DeployError } from './deploy/deploy-error.ts'
export type { DeployEvent, Deployment } from './deploy/deploy-event.ts'
export { type DeployRequest, deployFiles } from './deploy/deploy-files.ts'
export { chooseFiles } from './deploy/left-out.ts'
export type { MemoryFile } from './deploy/memory-file.ts'
export { followBuild } from './follow/follow-build.ts'
export { followLog, type LogEvent, type LogQuery, readLog } from './follow/log-events.ts'
export { siteAddress } from './site-address.ts'
