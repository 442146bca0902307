import type { Scope } from '#contract/scopes.ts'
import { grants, type Installation, reaches } from '../installation/installation.ts'
import type { DeliveryTarget, Webhook } from '../webhook/webhook.ts'
import type { EventType, NewEvent } from './event.ts'

/** Who might be told of what happens in an account. */
export interface Listeners {
  readonly webhooks: readonly Webhook[]
  /** Those whose application has an address for events. */
  readonly installations: readonly Installation[]
}

/** What an integration hears even while it is disabled. */
const HEARD_WHILE_DISABLED: ReadonlySet<EventType> = new Set([
  'project.created',
  'project.removed',
  'integration-configuration.removed',
])

/** What an integration must be allowed to read in order to be told; what is about itself needs nothing. */
const SCOPE_OF: Readonly<Record<EventType, Scope | undefined>> = {
  'project.created': 'project',
  'project.removed': 'project',
  'deployment.created': 'deployment',
  'deployment.succeeded': 'deployment',
  'deployment.ready': 'deployment',
  'deployment.error': 'deployment',
  'deployment.canceled': 'deployment',
  'deployment.promoted': 'deployment',
  'cron.failed': 'project',
  'cron.missed': 'project',
  'domain.created': 'domain',
  'project.domain.created': 'project',
  'project.domain.verified': 'project',
  'project.domain.deleted': 'project',
  'integration-configuration.removed': undefined,
  'integration-configuration.permission-upgraded': undefined,
  'integration-configuration.scope-change-confirmed': undefined,
}

/** Those of them whom an event concerns. */
export function targetsOf({ webhooks, installations }: Listeners, event: NewEvent): DeliveryTarget[] {
  return [
    ...webhooks
      .filter((webhook) => wants(webhook, event))
      .map(({ id }) => ({ kind: 'webhook', id }) as const),
    ...installations
      .filter((installation) => concerns(installation, event))
      .map(({ applicationId: id }) => ({ kind: 'integration', id }) as const),
  ]
}

const wants = ({ disabledAt, events, projectIds }: Webhook, { type, projectId }: NewEvent): boolean =>
  disabledAt === null &&
  events.includes(type) &&
  (projectIds === null || (projectId !== null && projectIds.includes(projectId)))

function concerns(installation: Installation, { type, projectId, configurationId }: NewEvent): boolean {
  if (configurationId !== undefined && configurationId !== installation.id) return false
  if (installation.disabledAt !== null && !HEARD_WHILE_DISABLED.has(type)) return false
  const scope = SCOPE_OF[type]
  if (scope === undefined) return true
  if (!grants(installation.scopes, scope, 'read')) return false
  // That a project came or went is told to those alone who were trusted with all of them.
  if (type === 'project.created' || type === 'project.removed') return installation.projectSelection === 'all'
  return projectId === null || reaches(installation, projectId)
}
