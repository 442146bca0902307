import type { Labels } from '../docker/engine/engine-types.ts'

/** The parts of a manager's answers that are looked at. */
export interface Task {
  readonly ID: string
  readonly CreatedAt: string
  readonly ServiceID: string
  /** Absent until it has a place. */
  readonly NodeID?: string
  /** What the swarm wants it to be: `running`, or on its way out. */
  readonly DesiredState: string
  readonly Status: {
    readonly State: string
    readonly Err?: string
    readonly ContainerStatus?: { readonly ContainerID: string; readonly ExitCode: number }
  }
}

export interface ServiceSummary {
  readonly ID: string
  readonly Spec: { readonly Name: string; readonly Labels: Labels | null }
}

export interface SwarmNode {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: { readonly Labels?: Labels | null; readonly Role: string; readonly Availability: string }
  readonly Status: { readonly State: string }
}
