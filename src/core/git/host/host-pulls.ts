import type { PullEvent } from '../pull/pull.ts'
import type { HostAccess } from './host-api.ts'

interface OpenPulls {
  /** As if each had just been opened. */
  readonly pulls: readonly PullEvent[]
  /** Numbers of those that are open as well, but cannot be deployed as their host tells of them. */
  readonly others: readonly number[]
  /** False where there are more than are asked for. */
  readonly isWhole: boolean
}

/** Pull requests of a repository at its host. Rejects as `HostAccounts` does. */
export interface HostPulls {
  open(access: HostAccess, signal: AbortSignal): Promise<OpenPulls>
}
