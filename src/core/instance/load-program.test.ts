import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from '../deployment/deployment.ts'
import type { Program, Runtime } from '../output/output.ts'
import { createLoadProgram } from './load-program.ts'

const deployment = {
  ...{ id: 'dpl_1', ownerId: 'o', projectId: 'p', host: null, state: 'READY', meta: {}, target: null },
  ...{ regions: ['iad1'], createdIn: 'iad1', scale: { min: 0, max: 3 } },
} as unknown as Deployment

/** What a program of this runtime finds, by the variables of its own and those of its deployment. */
async function envOf(runtime: Runtime, { own = {}, given = {} }: { own?: object; given?: object } = {}) {
  const program = { id: 'x', runtime, env: own } as Program
  const load = createLoadProgram({
    deployments: { find: async () => deployment, sealedEnv: async () => JSON.stringify({ env: given }) },
    outputs: { code: async () => ({ programs: [program], functions: [] }) as never },
    vault: { seal: (text: string) => text, open: (text: string) => text },
    siteNames: async () => ({}),
    origin: 'iad1',
    share: (_deployment, min) => min,
  })
  return (await load({ deploymentId: 'dpl_1', program: 'x' }))?.env ?? {}
}

test('programs on Node and Bun run as in production, in previews too, unless a variable says otherwise', async () => {
  for (const runtime of ['node', 'bun'] as const) {
    const { NODE_ENV, VERCEL_ENV } = await envOf(runtime)
    assert.deepEqual([NODE_ENV, VERCEL_ENV], ['production', 'preview'])
    assert.equal((await envOf(runtime, { own: { NODE_ENV: 'test' } })).NODE_ENV, 'test')
    const both = { own: { NODE_ENV: 'test' }, given: { NODE_ENV: 'staging' } }
    assert.equal((await envOf(runtime, both)).NODE_ENV, 'staging')
  }
  for (const runtime of ['python', 'docker'] as const)
    assert.equal('NODE_ENV' in (await envOf(runtime)), false)
})
