const DEEDS: Readonly<Record<string, string>> = {
  POST: 'Made',
  PUT: 'Set',
  PATCH: 'Changed',
  DELETE: 'Removed',
}

/** `DELETE /v9/projects/:idOrName/env/:id` → `Removed: projects, env`. The endpoint itself is behind it. */
export function inWords(action: string): string {
  const [method = '', path = ''] = action.split(' ')
  const nouns = path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':') && !/^v\d+$/.test(part) && part !== 'platform')
    .map((part) => part.replaceAll('-', ' '))
  return `${DEEDS[method] ?? method}: ${nouns.join(', ')}`
}
