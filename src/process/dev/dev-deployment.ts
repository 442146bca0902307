import type { Deployment } from '#core/deployment/deployment.ts'
import { systemEnv } from '#core/deployment/env/system-env.ts'
import { DEFAULT_BUILD_SETTINGS } from '#core/project/project.ts'

const OWNER = 'dev'
const RUN = 'bld_dev'

/** What the folder would be as a deployment; nobody stores it. */
export function devDeployment(name: string, host: string, envKeys: readonly string[]): Deployment {
  return {
    ...{ id: 'dpl_dev', ownerId: OWNER, projectId: 'prj_dev', creatorId: OWNER, name, host },
    ...{ state: 'READY', stateAt: 0, createdAt: 0, readyAt: 0, createdIn: 'iad1', regions: ['iad1'] },
    ...{ plan: 'enterprise', public: false, target: null, meta: {}, routes: null, builds: [] },
    buildRuns: [
      {
        id: RUN,
        use: '@aloft/node',
        path: 'package.json',
        config: {},
        readyState: 'BUILDING',
        readyStateAt: 0,
      },
    ],
    ...{
      envKeys,
      buildEnvKeys: envKeys,
      aliasWish: null,
      aliasFinal: [],
      aliasAssigned: false,
      aliasError: null,
    },
    ...{ failure: null, type: 'NPM', scale: { min: 0, max: 3 }, sessionAffinity: 'random' },
    ...{
      nodeVersion: null,
      requestedType: null,
      settings: DEFAULT_BUILD_SETTINGS,
      incomplete: false,
      digest: '',
    },
  }
}

/** The platform's variables, which say that this is no deployment. */
export function devSystemEnv(deployment: Deployment): Record<string, string> {
  const { CI: _, ...env } = systemEnv(deployment)
  const own = { ENV: 'development', TARGET_ENV: 'development', REGION: 'dev1' }
  for (const prefix of ['PLATFORM', 'VERCEL'])
    for (const [name, value] of Object.entries(own)) env[`${prefix}_${name}`] = value
  return { NODE_ENV: 'development', ...env }
}
