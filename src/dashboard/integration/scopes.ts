interface Asks {
  readonly scopesQueue?: readonly { readonly confirmedAt?: number }[]
}

/** Whether it asks for more than it was given. */
export const isWaiting = ({ scopesQueue }: Asks): boolean =>
  scopesQueue?.some(({ confirmedAt }) => confirmedAt === undefined) ?? false

const NOUNS: Readonly<Record<string, string>> = {
  'integration-configuration': 'its own configuration',
  deployment: 'deployments and their logs',
  'deployment-check': 'deployment checks',
  'edge-config': 'edge configuration',
  project: 'projects and their domains',
  'project-env-vars': 'project environment variables',
  'global-project-env-vars': 'shared environment variables',
  team: 'the team and its members',
  user: 'your profile',
  'log-drain': 'log drains',
  domain: 'domains and DNS records',
}

/** `read-write:project` → `Read and write projects and their domains`. */
export function scopeInWords(scope: string): string {
  const [how = '', what = ''] = scope.includes(':') ? scope.split(':') : ['', scope]
  const deed = how === 'read' ? 'Read' : 'Read and write'
  return `${deed} ${NOUNS[what] ?? what}`
}
