import * as api from '#contract/api/release.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import { needsApproval, type ReleaseConfig, type Stage, stageEndsAt } from '#core/release/release.ts'
import type { KnownRelease, Releases } from '#core/release/releases.ts'
import { shownState } from '../answer/shown-words.ts'
import { type Route, route } from '../route.ts'

const advancementType = (config: ReleaseConfig) =>
  needsApproval(config) ? ('manual-approval' as const) : ('automatic' as const)

const shownConfig = (config: ReleaseConfig | null) => ({
  rollingRelease: config && {
    target: 'production',
    advancementType: advancementType(config),
    stages: config.stages.map(({ duration, ...stage }) => ({
      ...stage,
      ...(duration === null ? {} : { duration }),
    })),
    canaryResponseHeader: config.canaryResponseHeader,
    ...(config.gate === null ? {} : { gate: { ...config.gate, checks: [...config.gate.checks] } }),
  },
})

const deployment = (d: Deployment | undefined) =>
  d === undefined
    ? null
    : {
        id: d.id,
        name: d.name,
        url: d.host ?? '',
        target: d.target,
        readyState: shownState(d.state),
        ...(d.readyAt === null ? {} : { readyStateAt: d.readyAt }),
        createdAt: d.createdAt,
      }

function shownRelease(known: KnownRelease | undefined) {
  if (known === undefined) return { rollingRelease: null }
  const { release, current, canary, share } = known
  const { config, stage: index, state } = release
  const stages = config.stages.map((stage: Stage, i) => ({
    index: i,
    isFinalStage: i === config.stages.length - 1,
    ...stage,
  }))
  const isActive = state === 'ACTIVE'
  return {
    rollingRelease: {
      state,
      substate: release.paused ? ('PAUSED' as const) : null,
      reason: release.reason,
      currentDeployment: deployment(current),
      canaryDeployment: deployment(canary),
      queuedDeploymentId: null,
      advancementType: advancementType(config),
      currentCanaryPercentage: Math.round(share * 100) / 100,
      stages,
      activeStage: state === 'ABORTED' ? null : (stages[index] ?? null),
      nextStage: isActive ? (stages[index + 1] ?? null) : null,
      nextStageAt: isActive ? stageEndsAt(release) : null,
      startedAt: release.startedAt,
      updatedAt: release.updatedAt,
    },
  }
}

export const releaseRoutes = (releases: Releases): readonly Route[] => [
  route(api.getReleaseConfig, async (ctx, { params }) =>
    shownConfig(await releases.config(ctx, params.idOrName)),
  ),
  route(api.setReleaseConfig, async (ctx, { params, body }) => {
    const { enabled = true, stages, disableRolloutAction = 'abort', ...rest } = body
    if (enabled && stages)
      return shownConfig(await releases.configure(ctx, params.idOrName, { ...rest, stages }))
    await releases.disable(ctx, params.idOrName, disableRolloutAction)
    return shownConfig(null)
  }),
  route(api.deleteReleaseConfig, async (ctx, { params }) => {
    await releases.disable(ctx, params.idOrName, 'abort')
    return shownConfig(null)
  }),
  route(api.getRelease, async (ctx, { params, query }) =>
    shownRelease(await releases.find(ctx, params.idOrName, query.state)),
  ),
  route(api.startRelease, async (ctx, { params, body }) =>
    shownRelease(await releases.start(ctx, params.idOrName, body.canaryDeploymentId)),
  ),
  route(api.approveReleaseStage, async (ctx, { params, body }) =>
    shownRelease(await releases.approve(ctx, params.idOrName, body.canaryDeploymentId, body.nextStageIndex)),
  ),
  route(api.completeRelease, async (ctx, { params, body }) =>
    shownRelease(await releases.complete(ctx, params.idOrName, body.canaryDeploymentId)),
  ),
  route(api.abortRelease, async (ctx, { params, body }) =>
    shownRelease(await releases.abort(ctx, params.idOrName, body.canaryDeploymentId)),
  ),
]
