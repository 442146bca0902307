import { environmentNameOf, environmentOf } from '#core/deployment/deployment.ts'
import type { BuildTask } from '#core/ports/builder.ts'

/** What makes frameworks choose this platform's form of output, and tools keep quiet. */
const CONSTANTS = {
  CI: '1',
  // The log shows colours, though no terminal is there.
  FORCE_COLOR: '1',
  VERCEL: '1',
  NOW_BUILDER: '1',
  NITRO_PRESET: 'vercel',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  GATSBY_TELEMETRY_DISABLED: '1',
  STORYBOOK_DISABLE_TELEMETRY: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  // Turborepo 2 gives up where package.json names no package manager. With this, it goes by the lock file.
  TURBO_DANGEROUSLY_DISABLE_PACKAGE_MANAGER_CHECK: '1',
} as const

/** Those of the system's variables that a browser may see. */
const PUBLIC =
  /^VERCEL_(?:ENV|TARGET_ENV|URL|BRANCH_URL|PROJECT_PRODUCTION_URL|REGION|DEPLOYMENT_ID|GIT_[A-Z_]+)$/

/** What commands find, under what the owner has set. */
export function buildEnv({ deployment, env: given, plan }: BuildTask): Record<string, string> {
  const { buildEnv: configured, envPrefix: prefix } = plan
  const ours: Record<string, string> = {
    ...CONSTANTS,
    VERCEL_ENV: environmentOf(deployment),
    VERCEL_TARGET_ENV: environmentNameOf(deployment),
    VERCEL_REGION: deployment.createdIn,
    VERCEL_DEPLOYMENT_ID: deployment.id,
    ...(deployment.host === null ? {} : { VERCEL_URL: deployment.host }),
    ...configured,
  }
  const all = { ...ours, ...given }
  const copies = prefix
    ? Object.entries(all).flatMap(([key, value]) =>
        PUBLIC.test(key) ? [[`${prefix}${key}`, value] as const] : [],
      )
    : []
  return Object.fromEntries(
    [...copies, ...Object.entries(ours)].filter(
      ([key]) => !Object.hasOwn(given, key) && !(key === 'FORCE_COLOR' && Object.hasOwn(given, 'NO_COLOR')),
    ),
  )
}
