import { LEGACY_TYPES, type LegacyType } from '#contract/api/deployment.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { iso } from '#contract/time.ts'
import type { Created } from '#core/deployment/create/create-deployment.ts'
import type { CreateDeployment } from '#core/deployment/create/read-deployment-request.ts'
import { type Deployment, legacyStateOf } from '#core/deployment/deployment.ts'
import type { FileInput } from '#core/deployment/file/manifest.ts'
import { MAX_FILE_BYTES } from '#core/file/files.ts'
import { chooseNode } from './node-versions.ts'

interface Body {
  readonly name: string
  readonly deploymentType: string
  readonly public: boolean
  readonly files: readonly FileInput[]
  readonly forceNew?: boolean
  readonly env?: Readonly<Record<string, unknown>>
  readonly engines?: Readonly<Record<string, unknown>>
  readonly sessionAffinity?: unknown
  readonly registryAuthToken?: string
}

interface Warning {
  readonly reason: string
  readonly sha?: string
  readonly limit?: number
  readonly wanted?: string
  readonly used?: string
  readonly key?: string
  readonly message?: string
}

interface LegacyRequest {
  readonly command: CreateDeployment
  readonly warnings: readonly Warning[]
}

export function readCreate(body: Body): LegacyRequest {
  const type = readType(body.deploymentType)
  const tooLarge = body.files.filter(({ size }) => size !== undefined && size > MAX_FILE_BYTES)
  const node = chooseNode(body.engines?.node)
  const affinity = readAffinity(body.sessionAffinity)
  return {
    warnings: [
      ...tooLarge.map(({ sha }) => ({
        reason: 'size_limit_exceeded',
        limit: MAX_FILE_BYTES,
        ...(sha === undefined ? {} : { sha }),
      })),
      ...(node.found ? [] : [{ reason: 'node_version_not_found', wanted: node.wanted, used: node.version }]),
    ],
    command: {
      name: body.name,
      files: body.files.filter((file) => !tooLarge.includes(file)),
      public: body.public,
      allowMissing: true,
      type,
      ...(affinity === undefined ? {} : { sessionAffinity: affinity }),
      ...(type === 'NPM' ? { nodeVersion: node.version } : {}),
      ...(body.registryAuthToken === undefined ? {} : { registryAuthToken: body.registryAuthToken }),
      ...(body.env === undefined ? {} : { env: body.env }),
      ...(body.forceNew === undefined ? {} : { forceNew: body.forceNew }),
    },
  }
}

function readType(text: string): LegacyType {
  const type = LEGACY_TYPES.find((known) => known === text.toUpperCase())
  if (type) return type
  throw invalidRequest(`\`deploymentType\` should be one of ${LEGACY_TYPES.join(', ')}`)
}

function readAffinity(value: unknown): 'ip' | 'random' | undefined {
  if (value === undefined || value === 'ip' || value === 'random') return value
  throw new AloftError('invalid_session_affinity', '`sessionAffinity` should be `ip` or `random`.')
}

export const created = (
  { deployment, missing, totalSize, ignoredKeys = [] }: Created,
  warnings: readonly Warning[],
) => ({
  totalSize,
  missing: [...missing],
  deploymentId: deployment.id,
  url: deployment.host,
  warnings: [...warnings, ...ignoredKeys.map((each) => ({ reason: 'config_key_ignored', ...each }))],
  nodeVersion: deployment.nodeVersion,
})

export const listItem = (d: Deployment, instances: number) => ({
  uid: d.id,
  name: d.name,
  url: d.host,
  created: String(d.createdAt),
  creator: { uid: d.creatorId },
  state: legacyStateOf(d, instances),
  type: d.type,
  scale: { current: instances, min: d.scale.min, max: d.scale.max },
})

export const single = (d: Deployment, instances: number) => ({
  uid: d.id,
  host: d.host,
  state: legacyStateOf(d, instances),
  type: d.type,
  stateTs: iso(d.stateAt),
  scale: { ...d.scale, auto: d.scale.min < d.scale.max },
})
