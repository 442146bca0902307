import type { Cron } from '../cron/cron.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Project } from '../project/project.ts'
import type { EventType, NewEvent } from './event.ts'

type Cause = Pick<NewEvent, 'userId' | 'at'>

export const projectEvent = (
  type: 'project.created' | 'project.removed',
  { id, name, ownerId }: Pick<Project, 'id' | 'name' | 'ownerId'>,
  cause: Cause,
): NewEvent => ({ ...cause, type, ownerId, projectId: id, payload: { project: { id, name } } })

/** Links are paths here; receivers get them whole. */
export const deploymentEvent = (
  type: Extract<EventType, `deployment.${string}`>,
  deployment: Deployment,
  { userId = deployment.creatorId, at }: { readonly userId?: string | null; readonly at: number },
): NewEvent => {
  const { id, ownerId, projectId, host, name, meta, target, customEnvironment } = deployment
  const { plan, regions, aliasFinal } = deployment
  return {
    type,
    ownerId,
    userId,
    projectId,
    at,
    payload: {
      deployment: { id, url: host, name, meta },
      project: { id: projectId },
      target,
      ...(customEnvironment === undefined ? {} : { customEnvironment }),
      plan,
      regions,
      links: { deployment: `/deployments/${id}`, project: `/projects/${projectId}` },
      ...(type === 'deployment.created' ? { alias: aliasFinal } : {}),
    },
  }
}

export const cronEvent = (
  type: Extract<EventType, `cron.${string}`>,
  { id, ownerId, projectId, path, schedule, timeZone, failures }: Cron,
  message: string,
  at: number,
): NewEvent => ({
  ...{ type, ownerId, userId: null, projectId, at },
  payload: {
    cron: { id, path, schedule, timeZone, failures },
    project: { id: projectId },
    message,
    links: { project: `/projects/${projectId}` },
  },
})

export const domainEvent = (
  { ownerId, name, delegated }: { ownerId: string; name: string; delegated: boolean },
  cause: Cause,
): NewEvent => ({
  ...cause,
  type: 'domain.created',
  ownerId,
  projectId: null,
  payload: { domain: { name, delegated } },
})

export const projectDomainEvent = (
  type: Extract<EventType, `project.domain.${string}`>,
  { ownerId, projectId, name }: { ownerId: string; projectId: string; name: string },
  cause: Cause,
): NewEvent => ({
  ...cause,
  type,
  ownerId,
  projectId,
  payload: { project: { id: projectId }, domain: { name } },
})
