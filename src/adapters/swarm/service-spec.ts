import type { LoadedProgram } from '#core/instance/instance.ts'
import { trusting } from '#core/outbound/trusting.ts'
import type { Labels } from '../docker/engine/engine-types.ts'
import { AUTHORITIES, CAPABILITIES, type ContainerLimits } from '../docker/launch/container-launch.ts'

export interface ServiceParts {
  readonly name: string
  readonly labels: Labels
  /** Of the image, as every node finds it. */
  readonly image: string
  readonly port: number
  readonly network: string
  /** What nodes have a label of that may run it. */
  readonly nodeLabel: string
  readonly limits: ContainerLimits
  readonly graceMs: number
  readonly init: boolean
  readonly nameServer?: string | undefined
  /** The config of all authorities that it trusts. */
  readonly authorities?: { readonly id: string; readonly name: string } | undefined
}

const MB = 2 ** 20
const NANO = 1e6
/** Until the swarm starts it again, wherever it ended; what ended by itself is removed before that. */
const AGAIN_MS = 2000
/** Its output is read as it comes; this much waits at its node for whoever reads. */
const KEPT_OUTPUT = { 'max-size': '1m', 'max-file': '2' }

/** One instance: a service with one replica, so that it can be said which of them is to end. */
export function serviceSpec(
  { program }: LoadedProgram,
  env: Readonly<Record<string, string>>,
  parts: ServiceParts,
): object {
  const { authorities, nameServer, limits } = parts
  const all = { ...(authorities ? trusting(AUTHORITIES) : {}), ...env, PORT: String(parts.port) }
  const file = { Name: AUTHORITIES, UID: '0', GID: '0', Mode: 0o444 }
  return {
    Name: parts.name,
    Labels: parts.labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: parts.image,
        Labels: parts.labels,
        Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
        ...(parts.init ? { Init: true } : {}),
        CapabilityDrop: ['ALL'],
        CapabilityAdd: CAPABILITIES.map((name) => `CAP_${name}`),
        // Known to newer engines alone.
        Privileges: { NoNewPrivileges: true },
        // Whether it is well is asked from outside.
        Healthcheck: { Test: ['NONE'] },
        StopGracePeriod: parts.graceMs * NANO,
        ...(nameServer === undefined ? {} : { DNSConfig: { Nameservers: [nameServer] } }),
        ...(authorities
          ? { Configs: [{ File: file, ConfigID: authorities.id, ConfigName: authorities.name }] }
          : {}),
      },
      Resources: {
        Limits: {
          MemoryBytes: program.memoryMb * MB,
          NanoCPUs: Math.round(limits.cpus * 1e9),
          Pids: limits.processes,
        },
      },
      RestartPolicy: { Condition: 'any', Delay: AGAIN_MS * NANO },
      Placement: { Constraints: [`node.labels.${parts.nodeLabel}==true`] },
      Networks: [{ Target: parts.network }],
      LogDriver: { Name: 'local', Options: KEPT_OUTPUT },
    },
    Mode: { Replicated: { Replicas: 1 } },
    // Neither a virtual address, which needs IPVS, nor a port of any node: it is reached at its own address.
    EndpointSpec: { Mode: 'dnsrr' },
  }
}
