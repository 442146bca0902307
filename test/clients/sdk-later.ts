import type { Place } from './place.ts'
import type { StepRecorder } from './report.ts'

// biome-ignore lint/suspicious/noExplicitAny: each version of the package has types of its own
type Any = any

export interface SdkStep {
  readonly place: Place
  readonly recorder: Pick<StepRecorder, 'step' | 'cannot'>
  has(area: string, method: string): boolean
  /** Nothing happens where this version has no such method. */
  call(area: string, method: string, request?: unknown): Promise<Any>
}

/** An environment beside production and preview. */
export async function environmentSteps({ call }: SdkStep, idOrName: string): Promise<void> {
  const made = await call('environment', 'createCustomEnvironment', {
    idOrName,
    requestBody: {
      slug: 'testing',
      description: 'before it is live',
      branchMatcher: { type: 'startsWith', pattern: 'test-' },
    },
  })
  await call('environment', 'getProjectsByIdOrNameCustomEnvironments', { idOrName })
  await call('environment', 'getCustomEnvironment', { idOrName, environmentSlugOrId: 'testing' })
  await call('environment', 'updateCustomEnvironment', {
    idOrName,
    environmentSlugOrId: 'testing',
    requestBody: { description: 'for those who test' },
  })
  await call('environment', 'removeCustomEnvironment', {
    idOrName,
    environmentSlugOrId: made?.id,
    requestBody: { deleteUnassignedEnvironmentVariables: true },
  })
}

/** A deployment that reaches visitors share by share. */
export async function releaseSteps(
  { call, has, recorder, place }: SdkStep,
  { id, canaryDeploymentId }: { readonly id: string; readonly canaryDeploymentId: string },
): Promise<void> {
  if (!has('rollingRelease', 'getRollingRelease')) return
  const idOrName = id
  recorder.cannot(
    'rollingRelease.updateRollingReleaseConfig',
    'This version sends no stages, so that nothing can be turned on with it: use the dashboard or `aloft releases set`.',
  )
  await place.api(`PATCH /v1/projects/${id}/rolling-release/config`, {
    stages: [
      { targetPercentage: 20, requireApproval: true },
      { targetPercentage: 60, requireApproval: true },
      { targetPercentage: 100 },
    ],
  })
  await call('rollingRelease', 'getRollingReleaseConfig', { idOrName })
  if (has('rollingRelease', 'startRollingRelease'))
    await call('rollingRelease', 'startRollingRelease', { idOrName, requestBody: { canaryDeploymentId } })
  else await place.api(`POST /v1/projects/${id}/rolling-release/start`, { canaryDeploymentId })
  await call('rollingRelease', 'getRollingRelease', { idOrName, state: 'ACTIVE' })
  await call('rollingRelease', 'approveRollingReleaseStage', {
    idOrName,
    requestBody: { nextStageIndex: 1, canaryDeploymentId },
  })
  await call('rollingRelease', 'completeRollingRelease', { idOrName, requestBody: { canaryDeploymentId } })
  await call('rollingRelease', 'deleteRollingReleaseConfig', { idOrName })
}

/** An application that somebody lets into the account, and takes out again. */
export async function integrationSteps({ call, place }: SdkStep): Promise<void> {
  const id = await place.installApplication()
  await call('integrations', 'getConfigurations', { view: 'account' })
  await call('integrations', 'getConfiguration', { id })
  await call('integrations', 'deleteConfiguration', { id })
}

export async function drainSteps({ call, place }: SdkStep, projectId: string): Promise<void> {
  await call('logDrains', 'createConfigurableLogDrain', {
    requestBody: {
      name: 'made by the sdk',
      url: 'https://logs.example.com/in',
      deliveryFormat: 'json',
      sources: ['static', 'lambda'],
      projectIds: [projectId],
    },
  })
  await call('logDrains', 'getAllLogDrains', {})
  // The package leaves out of its answers all that their shape does not name, such as the id.
  const drains: readonly Any[] = await place.api('GET /v1/log-drains')
  const id = drains.find(({ projectIds }) => projectIds?.includes(projectId))?.id
  await call('logDrains', 'getConfigurableLogDrain', { id })
  await call('logDrains', 'deleteConfigurableLogDrain', { id })
}

/** A project that is offered and taken into a team. */
export async function transferSteps({ call, has, place }: SdkStep, teamId: string): Promise<void> {
  if (!has('projects', 'createProjectTransferRequest')) return
  const gift = place.name('gift')
  await place.api('POST /v10/projects', { name: gift })
  const offered = await call('projects', 'createProjectTransferRequest', { idOrName: gift, requestBody: {} })
  await call('projects', 'acceptProjectTransferRequest', {
    code: offered?.code,
    teamId,
    requestBody: { newProjectName: `${gift}-taken` },
  })
}
