/** What a webhook can be told, in the words of the page. */
export const EVENTS: readonly { readonly type: string; readonly says: string }[] = [
  { type: 'deployment.created', says: 'A deployment was made' },
  { type: 'deployment.succeeded', says: 'A build succeeded' },
  { type: 'deployment.ready', says: 'A deployment is ready' },
  { type: 'deployment.error', says: 'A deployment failed' },
  { type: 'deployment.promoted', says: 'A deployment went to production' },
  { type: 'project.created', says: 'A project was made' },
  { type: 'project.removed', says: 'A project was deleted' },
  { type: 'domain.created', says: 'A domain was added to the account' },
  { type: 'project.domain.created', says: 'A domain was added to a project' },
  { type: 'project.domain.verified', says: 'A domain of a project was verified' },
  { type: 'project.domain.deleted', says: 'A domain was taken from a project' },
]
