import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { listDeploymentAliases } from '#contract/api/alias.ts'
import { getDeployment, listBuilds } from '#contract/api/deployment.ts'
import { iso } from '#contract/time.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

test('inspect lists the names that lead to the deployment now, as after a promotion', async () => {
  await using machine = await startMachine(
    answers(getDeployment, () => ({ ...sampleDeployment, alias: ['shop-ada.localhost'] })),
    answers(listBuilds, () => ({ builds: [] })),
    answers(listDeploymentAliases, () => ({
      aliases: [{ uid: 'a1', alias: 'shop.localhost', created: iso(1_700_000_000_000) }],
    })),
  )
  const { stdout, stderr } = await machine.run(['inspect', 'dpl_1'], { ALOFT_TOKEN: TOKEN })
  assert.match(stdout, /^alias +\S*shop\.localhost/m, stderr)
  assert.doesNotMatch(stdout, /shop-ada/)
})

test('inspect says where a build is that waits for others', async () => {
  const queue = { ahead: 2, expectedAt: Date.now() + 180_000 }
  await using machine = await startMachine(
    answers(getDeployment, () => ({ ...sampleDeployment, readyState: 'INITIALIZING' as const, queue })),
    answers(listBuilds, () => ({ builds: [] })),
    answers(listDeploymentAliases, () => ({ aliases: [] })),
  )
  const { stdout } = await machine.run(['inspect', 'dpl_1'], { ALOFT_TOKEN: TOKEN })
  assert.match(stdout, /^waits +2 builds are ahead of this one, in about 3 minutes$/m)
})
