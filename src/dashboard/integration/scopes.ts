interface Asks {
  readonly scopesQueue?: readonly { readonly confirmedAt?: number }[]
}

/** Whether it asks for more than it was given. */
export const isWaiting = ({ scopesQueue }: Asks): boolean =>
  scopesQueue?.some(({ confirmedAt }) => confirmedAt === undefined) ?? false

const NOUNS: Readonly<Record<string, string>> = {
  'integration-configuration': 'its own installation',
  deployment: 'deployments and their logs',
  'deployment-check': 'checks of deployments',
  'edge-config': 'edge configuration',
  project: 'projects and their domains',
  'project-env-vars': 'variables of projects',
  'global-project-env-vars': 'variables shared by projects',
  team: 'the team and its members',
  user: 'who you are',
  'log-drain': 'log drains',
  domain: 'domains and DNS records',
}

/** `read-write:project` → `Read and change projects and their domains`. */
export function scopeInWords(scope: string): string {
  const [how = '', what = ''] = scope.includes(':') ? scope.split(':') : ['', scope]
  const deed = how === 'read' ? 'Read' : 'Read and change'
  return `${deed} ${NOUNS[what] ?? what}`
}
