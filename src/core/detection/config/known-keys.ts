/** The keys of a configuration file that are honoured. */
const HONOURED = [
  'build',
  'buildCommand',
  'builds',
  'bunVersion',
  'cleanUrls',
  'crons',
  'devCommand',
  'env',
  'framework',
  'functions',
  'git',
  'headers',
  'ignoreCommand',
  'images',
  'installCommand',
  'outputDirectory',
  'redirects',
  'regions',
  'rewrites',
  'routes',
  'trailingSlash',
] as const

/** Keys that change nothing about what is served: for editors, for clients, and what requests say instead. */
const WITHOUT_EFFECT = [
  '$schema',
  'alias',
  'github',
  'name',
  'project',
  'projectId',
  'public',
  'scope',
  'version',
] as const

const FAIL_OVER = 'If no machine is available in its `regions`, a function runs in another region.'

/** Keys that somebody may count on, and what there is in their place. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  bulkRedirectsPath: 'Move the redirects to `redirects`.',
  fluid: 'An instance always handles several requests at once.',
  functionFailoverRegions: FAIL_OVER,
  passiveRegions: FAIL_OVER,
}

const known = new Set<string>([...HONOURED, ...WITHOUT_EFFECT])
const MOST_WARNINGS = 20
const MOST_CHARACTERS = 60

export interface IgnoredKey {
  readonly key: string
  /** In words, with what there is in its place. */
  readonly message: string
}

/** The keys that do nothing, so that nobody counts on them. */
export function ignoredKeys(json: Readonly<Record<string, unknown>>, file: string): readonly IgnoredKey[] {
  return Object.keys(json)
    .filter((key) => !known.has(key))
    .slice(0, MOST_WARNINGS)
    .map((whole) => {
      const key = whole.slice(0, MOST_CHARACTERS)
      const why = Object.hasOwn(NOT_SUPPORTED, whole)
        ? `is not supported. ${NOT_SUPPORTED[whole]}`
        : 'is unknown and has no effect.'
      return { key, message: `${file}: \`${key}\` ${why}` }
    })
}
