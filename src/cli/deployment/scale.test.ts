import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { getDeployment, listInstances, scaleInstances } from '#contract/api/deployment.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }

test('instances are listed and scaled, and a range that is none is wrong usage', async () => {
  await using machine = await startMachine(
    answers(getDeployment, () => sampleDeployment),
    answers(listInstances, () => ({ instances: [{ uid: 'i1', url: 'i1.shop.localhost' }] })),
    answers(scaleInstances, ({ body }) => body),
  )
  const listed = await machine.run(['instances', 'dpl_1'], env)
  assert.match(listed.stdout, /^i1 +i1\.shop\.localhost$/m)
  const scaled = await machine.run(['scale', 'dpl_1', '1', '5'], env)
  assert.equal(scaled.stdout, 'dpl_1 runs 1 to 5 instances.\n')
  assert.deepEqual(machine.api.requests.at(-1)?.body, { min: 1, max: 5 })
  for (const range of [
    ['5', '1'],
    ['one', '5'],
  ])
    assert.equal((await machine.run(['scale', 'dpl_1', ...range], env)).code, 2)
})
