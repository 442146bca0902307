const deployment = (id: string, url: string) => ({
  ...{ id, url, name: 'shop', target: 'production', readyState: 'READY', createdAt: 1 },
})
const STAGES = [10, 50, 100].map((targetPercentage, index) => ({
  ...{ index, isFinalStage: index === 2, targetPercentage, requireApproval: false, duration: 5 },
  linearShift: false,
}))
/** One that is under way. */
export const RELEASE = {
  ...{ state: 'ACTIVE' as const, substate: null, reason: null, queuedDeploymentId: null },
  currentDeployment: deployment('dpl_old', 'shop-old.localhost'),
  canaryDeployment: deployment('dpl_new', 'shop-new.localhost'),
  ...{ advancementType: 'automatic' as const, currentCanaryPercentage: 10, stages: STAGES },
  ...{ activeStage: STAGES[0] ?? null, nextStage: STAGES[1] ?? null, nextStageAt: null },
  ...{ startedAt: 1, updatedAt: 1 },
}
