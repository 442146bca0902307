/** What a webhook can be told, in the words of the page. */
export const EVENTS: readonly { readonly type: string; readonly says: string }[] = [
  { type: 'deployment.created', says: 'Deployment created' },
  { type: 'deployment.succeeded', says: 'Build succeeded' },
  { type: 'deployment.ready', says: 'Deployment ready' },
  { type: 'deployment.error', says: 'Deployment failed' },
  { type: 'deployment.canceled', says: 'Build cancelled' },
  { type: 'deployment.promoted', says: 'Deployment promoted to production' },
  { type: 'cron.failed', says: 'Scheduled job failed three times in a row' },
  { type: 'cron.missed', says: 'Scheduled job missed a run' },
  { type: 'project.created', says: 'Project created' },
  { type: 'project.removed', says: 'Project deleted' },
  { type: 'domain.created', says: 'Domain added to the account' },
  { type: 'project.domain.created', says: 'Domain added to a project' },
  { type: 'project.domain.verified', says: 'Project domain verified' },
  { type: 'project.domain.deleted', says: 'Domain removed from a project' },
]
