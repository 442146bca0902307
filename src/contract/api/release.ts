import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const common = { teamBySlug: true, access: needs('project') } as const

export const CHECKS = ['error-rate-5xx', 'p95-latency'] as const
const STATES = ['ACTIVE', 'COMPLETE', 'ABORTED'] as const

const Percentage = Type.Number({ minimum: 0, maximum: 100 })
const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: 10_080 })
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000 })

const Gate = Type.Object({
  enabled: Type.Boolean(),
  action: Type.Enum(['pause', 'rollback'] as const),
  dryRun: Type.Boolean(),
  failureThreshold: Count,
  windowSize: Count,
  checks: Type.Array(
    Type.Object({ type: Type.Enum(CHECKS), margin: Type.Number(), minSampleSize: Type.Integer() }),
  ),
})

const Config = Type.Object({
  target: Type.String(),
  advancementType: Type.Enum(['automatic', 'manual-approval'] as const),
  stages: Type.Array(
    Type.Object({
      targetPercentage: Percentage,
      duration: Type.Optional(Minutes),
      requireApproval: Type.Boolean(),
      linearShift: Type.Boolean(),
    }),
  ),
  canaryResponseHeader: Type.Boolean(),
  gate: Type.Optional(Gate),
})

const Stage = Type.Object({
  index: Type.Integer(),
  isFinalStage: Type.Boolean(),
  targetPercentage: Percentage,
  requireApproval: Type.Boolean(),
  duration: Nullable(Type.Number({ description: 'In minutes.' })),
  linearShift: Type.Boolean(),
})

const ReleaseDeployment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  target: Nullable(Type.String()),
  readyState: Type.String(),
  readyStateAt: Type.Optional(Time),
  createdAt: Time,
})

const Release = Type.Object({
  state: Type.Enum(STATES),
  substate: Nullable(Type.String({ description: '`PAUSED` while its percentage does not change.' })),
  reason: Nullable(Type.String({ description: 'Why it was paused or aborted, or the latest finding.' })),
  currentDeployment: Nullable(ReleaseDeployment),
  canaryDeployment: Nullable(ReleaseDeployment),
  queuedDeploymentId: Nullable(Type.String()),
  advancementType: Type.Enum(['automatic', 'manual-approval'] as const),
  currentCanaryPercentage: Percentage,
  stages: Type.Array(Stage),
  activeStage: Nullable(Stage),
  nextStage: Nullable(Stage),
  nextStageAt: Nullable(Type.Integer({ description: 'When it begins automatically.' })),
  startedAt: Time,
  updatedAt: Time,
})

const config = Type.Object({ rollingRelease: Nullable(Config) })
const release = Type.Object({ rollingRelease: Nullable(Release) })

const CanaryId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The deployment being released; a release of another deployment is not affected.',
})
const canary = Type.Object({ canaryDeploymentId: CanaryId })

export const getReleaseConfig = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/rolling-release/config',
  summary: 'Get the rolling release configuration of a project',
  reply: config,
})

export const setReleaseConfig = endpoint({
  ...common,
  on: 'PATCH /v1/projects/:idOrName/rolling-release/config',
  summary: 'Configure rolling releases of a project',
  description:
    'Applies to the next release; one in progress continues unchanged. Without stages, or with `enabled: false`, rolling releases are disabled.',
  body: Type.Object({
    enabled: Type.Optional(Type.Boolean()),
    target: Type.Optional(Type.Enum(['production'] as const)),
    advancementType: Type.Optional(
      Type.Enum(['automatic', 'manual-approval'] as const, {
        description: '`manual-approval`: every stage waits for approval, unless it says otherwise.',
      }),
    ),
    stages: Type.Optional(
      Nullable(
        Type.Array(
          Type.Object({
            targetPercentage: Percentage,
            duration: Type.Optional(Nullable(Minutes)),
            requireApproval: Type.Optional(Type.Boolean()),
            linearShift: Type.Optional(Type.Boolean()),
          }),
          { maxItems: 20 },
        ),
      ),
    ),
    canaryResponseHeader: Type.Optional(Type.Boolean()),
    gate: Type.Optional(
      Nullable(
        Type.Object({
          enabled: Type.Optional(Type.Boolean()),
          action: Type.Optional(Type.Enum(['pause', 'rollback'] as const)),
          dryRun: Type.Optional(Type.Boolean({ description: 'Findings are only recorded.' })),
          failureThreshold: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
          windowSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
          checks: Type.Optional(
            Type.Array(
              Type.Object({
                type: Type.Enum(CHECKS),
                margin: Type.Optional(
                  Type.Number({
                    minimum: 0,
                    maximum: 1000,
                    description:
                      'How much worse than the live deployment it can be: percentage points for errors, percent for latency.',
                  }),
                ),
                minSampleSize: Type.Optional(Count),
              }),
              { maxItems: 10 },
            ),
          ),
        }),
      ),
    ),
    disableRolloutAction: Type.Optional(
      Type.Enum(['abort', 'complete'] as const, {
        description: 'What to do with a release in progress when rolling releases are disabled.',
      }),
    ),
  }),
  reply: config,
})

export const deleteReleaseConfig = endpoint({
  ...common,
  on: 'DELETE /v1/projects/:idOrName/rolling-release/config',
  summary: 'Disable rolling releases; a release in progress is aborted',
  reply: config,
})

export const getRelease = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/rolling-release',
  summary: 'Get the latest rolling release of a project, in progress or finished',
  query: Type.Object({ state: Type.Optional(Type.Enum(STATES)) }),
  reply: release,
})

export const startRelease = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/rolling-release/start',
  summary: 'Start a rolling release of a deployment',
  body: canary,
  reply: release,
})

export const approveReleaseStage = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/rolling-release/approve-stage',
  summary: 'Advance the release to the next stage, even if it is paused',
  body: Type.Object({ nextStageIndex: Type.Integer({ minimum: 0 }), canaryDeploymentId: CanaryId }),
  reply: release,
})

export const completeRelease = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/rolling-release/complete',
  summary: 'Complete the release: all visitors get the new deployment',
  body: canary,
  reply: release,
})

export const abortRelease = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/rolling-release/abort',
  summary: 'Abort the release: all visitors get the previous deployment',
  body: canary,
  reply: release,
})
