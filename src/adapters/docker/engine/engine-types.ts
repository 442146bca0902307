import type { Readable } from 'node:stream'

/** The parts of the engine's answers that are looked at. */
export interface EngineInfo {
  readonly OSType: string
  readonly ServerVersion: string
  readonly DockerRootDir: string
  readonly MemoryLimit: boolean
  readonly SwapLimit: boolean
  readonly CpuCfsQuota: boolean
  readonly PidsLimit: boolean
  readonly SecurityOptions: readonly string[] | null
  readonly InitCommit?: { readonly ID: string }
  readonly Swarm?: {
    /** `active` where the engine is part of a swarm. */
    readonly LocalNodeState: string
    readonly NodeID: string
    /** Whether it is a manager. */
    readonly ControlAvailable: boolean
    readonly Error?: string
  }
}

export interface ImageSummary {
  readonly Id: string
  readonly RepoTags: readonly string[] | null
  readonly Labels: Readonly<Record<string, string>> | null
  /** Seconds since the epoch. */
  readonly Created: number
  readonly Size: number
}

export interface ImageDetails {
  readonly Id: string
  readonly RepoTags: readonly string[] | null
  readonly Created: string
  readonly Size: number
  readonly Config: {
    readonly Env?: readonly string[] | null
    readonly ExposedPorts?: Readonly<Record<string, unknown>> | null
    readonly Labels?: Readonly<Record<string, string>> | null
  } | null
}

export interface ImageLayer {
  /** `<missing>` where it was not built here. */
  readonly Id: string
  readonly Size: number
  /** Of the image that has this layer on top. */
  readonly Tags: readonly string[] | null
}

export interface ContainerSummary {
  readonly Id: string
  readonly State: string
  readonly Labels: Readonly<Record<string, string>>
}

export interface ContainerDetails {
  readonly Id: string
  readonly SizeRw?: number
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null }
  /** Where its own files lie, by engines that keep them in layers of folders. */
  readonly GraphDriver?: { readonly Data?: { readonly UpperDir?: string } | null }
  readonly Mounts?: readonly { readonly Type: string; readonly Name?: string; readonly Source: string }[]
  readonly State: {
    readonly Status: string
    readonly Running: boolean
    readonly Paused: boolean
    readonly OOMKilled: boolean
    readonly ExitCode: number
    readonly Error: string
  }
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>>
  }
}

export interface DiskUse {
  readonly Volumes?:
    | readonly { readonly Name: string; readonly UsageData?: { readonly Size: number } | null }[]
    | null
}

export interface ContainerStats {
  /** In nanoseconds. */
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } }
}

export interface NetworkDetails {
  readonly Id: string
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly Options: Readonly<Record<string, string>> | null
  readonly IPAM?: { readonly Config?: readonly { readonly Gateway?: string }[] | null } | null
}

export type Labels = Readonly<Record<string, string>>

export interface EngineBuild {
  /** The context, a tar. */
  readonly context: Readable
  /** Relative to the context. */
  readonly dockerfile: string
  readonly tag: string
  readonly labels: Labels
  readonly args: Labels
  readonly network: string
  readonly memoryBytes: number
  readonly cpus: number
  readonly signal?: AbortSignal
  /** Waited for, so that output no faster than it is taken is made. */
  readonly onOutput: (text: string) => unknown
  /** Of an image that a step seems to have left. */
  readonly onStep?: (image: string) => void
}

export interface NewContainer {
  readonly Image: string
  readonly Env: readonly string[]
  readonly Labels: Labels
  readonly Healthcheck?: object
  readonly HostConfig: Readonly<Record<string, unknown>>
}
