import type { Deployment } from './deploy-event.ts'

/** A deployment as the API answers it, that is ready. */
export const sampleDeployment: Deployment = {
  id: 'dpl_1',
  url: 'shop-a1b2c3d4e.localhost',
  name: 'shop',
  meta: {},
  version: 2,
  plan: 'pro',
  public: false,
  ownerId: 'u1',
  projectId: 'prj_1',
  creator: { uid: 'u1' },
  type: 'LAMBDAS',
  readyState: 'READY',
  createdAt: 1_700_000_000_000,
  createdIn: 'local',
  regions: [],
  routes: null,
  builds: [],
  env: [],
  build: { env: [] },
  alias: [],
  aliasFinal: [],
  aliasAssigned: true,
  aliasError: null,
}
