import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { getDeployment } from '#contract/api/deployment.ts'
import { listDomains } from '#contract/api/domain.ts'
import { getProject, listProjects } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject, shownDeployment } from '../project/project-testing.ts'
import { sampleDomain } from './domain-testing.ts'

const pages = { count: 1, next: null, prev: null }
const own = 'shop.localhost'

/** An installation where production has these names, in an account with these domains. */
function machineWith(alias: readonly string[], domains: readonly (readonly [string, boolean])[] | 'secret') {
  const names = [...alias]
  const production = { ...shownDeployment('dpl_1', 'shop-a1b2c3d4e.localhost'), alias: names }
  const project = { ...sampleProject, targets: { production } }
  return startMachine(
    answers(listProjects, () => ({ projects: [project], pagination: pages })),
    answers(getProject, () => project),
    answers(getDeployment, () => ({ ...sampleDeployment, alias: names })),
    answers(listDomains, () => {
      if (domains === 'secret') throw new AloftError('forbidden', 'The token may not read domains.')
      return {
        domains: domains.map(([name, verified]) => ({ ...sampleDomain, name, verified })),
        pagination: pages,
      }
    }),
  )
}

for (const [says, alias, domains, first] of [
  ['a verified domain', ['b.io', own], [['b.io', true]], 'b.io'],
  ['the own name before a domain that is not verified', ['b.io', own], [['b.io', false]], own],
  ['the own name where domains may not be read', ['b.io', own], 'secret', own],
] as const)
  test(`projects ls and open name ${says}`, async () => {
    await using machine = await machineWith(alias, domains)
    machine.link({ projectId: 'prj_1', teamId: null })
    const env = { ALOFT_TOKEN: TOKEN }
    const address = new RegExp(`http://${first}:`)
    assert.match((await machine.run(['projects', 'ls'], env)).stdout, address)
    const opened = await machine.run(['open'], env)
    assert.match(opened.stdout, address, opened.stderr)
  })

test('domains are not asked for where there is nothing but own names', async () => {
  await using machine = await machineWith([own], [])
  await machine.run(['projects', 'ls'], { ALOFT_TOKEN: TOKEN })
  assert.ok(machine.api.requests.every(({ path }) => !path.includes('domains')))
})
