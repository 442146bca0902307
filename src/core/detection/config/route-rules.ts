import type { ValidateFunction } from 'ajv'
import { BuildFailure } from '../../build/build-failure.ts'
import { compileOutputRoutesInTurns } from '../../routing/read/compile-output-routes.ts'
import type { Route } from '../../routing/route.ts'
import { invalidConfig } from './json.ts'

/** The keys of a configuration file that become routes. */
const KEYS = ['routes', 'rewrites', 'redirects', 'headers', 'cleanUrls', 'trailingSlash'] as const

type Key = (typeof KEYS)[number]
type Rules = Readonly<Record<string, unknown>>

/** Compiling them takes longer than everything else about a plan, so only what is asked for is, and once. */
const checks = new Map<Key, Promise<ValidateFunction>>()

function checkOf(key: Key): Promise<ValidateFunction> {
  const known = checks.get(key)
  if (known) return known
  const made = Promise.all([import('ajv'), import('@vercel/routing-utils')]).then(([{ Ajv }, utils]) =>
    new Ajv({ strict: false }).compile({
      type: 'object',
      properties: {
        [key]: {
          routes: utils.routesSchema,
          rewrites: utils.rewritesSchema,
          redirects: utils.redirectsSchema,
          headers: utils.headersSchema,
          cleanUrls: utils.cleanUrlsSchema,
          trailingSlash: utils.trailingSlashSchema,
        }[key],
      },
    }),
  )
  checks.set(key, made)
  return made
}

/** Undefined where the file says nothing of routes. */
export async function readConfiguredRoutes(json: Rules, file: string): Promise<readonly Route[] | undefined> {
  const rules = Object.fromEntries(
    KEYS.flatMap((key) => (json[key] === undefined || json[key] === null ? [] : [[key, json[key]]])),
  )
  if (Object.keys(rules).length === 0) return undefined
  for (const key of Object.keys(rules) as Key[]) {
    const check = await checkOf(key)
    if (check({ [key]: rules[key] })) continue
    const [first] = check.errors ?? []
    throw invalidConfig(
      `${file}: \`${pointed(first?.instancePath ?? '')}\` ${first?.message ?? 'is not valid'}.`,
    )
  }
  const utils = await import('@vercel/routing-utils')
  const { routes, error } = utils.getTransformedRoutes(rules)
  if (error) throw new BuildFailure('invalid_routes', `${file}: ${error.message}`)
  return checkedRoutes((routes ?? []) as unknown as readonly Route[], file)
}

const pointed = (path: string): string =>
  path
    .slice(1)
    .split('/')
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')

/** A rule that could not be served is told of now, and not to visitors. */
async function checkedRoutes(routes: readonly Route[], where: string): Promise<readonly Route[]> {
  const compiled = await compileOutputRoutesInTurns(routes)
  if (compiled.ok) return compiled.table.routes
  const [first] = compiled.errors
  throw new BuildFailure('invalid_routes', `${where}: ${first?.message ?? 'the routes are malformed.'}`)
}

/** Rules of a request in the words of an output: the ends of their patterns are written out. */
export async function requestedRoutes(routes: readonly Route[]): Promise<readonly Route[]> {
  const { normalizeRoutes } = await import('@vercel/routing-utils')
  const normal = normalizeRoutes(routes as unknown as Parameters<typeof normalizeRoutes>[0])
  if (normal.error) throw new BuildFailure('invalid_routes', normal.error.message)
  return checkedRoutes((normal.routes ?? []) as unknown as readonly Route[], 'The request')
}

/**
 * The deployment's own rules with those that its builds brought, phase by phase: what only adds headers first, then
 * the owner's, then the builds'.
 */
export async function mergedRoutes(
  own: readonly Route[] | undefined,
  built: readonly (readonly Route[])[],
): Promise<readonly Route[] | undefined> {
  const brought = built.filter((routes) => routes.length > 0)
  if (brought.length === 0) return own
  const { mergeRoutes } = await import('@vercel/routing-utils')
  type Rules = Parameters<typeof mergeRoutes>[0]
  const merged = mergeRoutes({
    userRoutes: own,
    builds: brought.map((routes, i) => ({
      use: '@aloft/build',
      entrypoint: String(i).padStart(4, '0'),
      routes,
    })),
  } as unknown as Rules)
  return merged as unknown as readonly Route[]
}
