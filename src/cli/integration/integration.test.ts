import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  confirmScopes,
  deleteConfiguration,
  getConfiguration,
  listConfigurations,
  transferConfiguration,
  updateConfiguration,
} from '#contract/api/installation.ts'
import { getProject } from '#contract/api/project.ts'
import { listMembers, listTeams } from '#contract/api/team.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from '../project/project-testing.ts'
import { sampleTeam as acme } from '../team/team-testing.ts'
import type { Installation } from './show-installation.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
const installed: Installation = {
  id: 'icfg_1',
  integrationId: 'oac_1',
  slug: 'watcher',
  ownerId: 'u1',
  userId: 'u1',
  teamId: null,
  projectSelection: 'selected',
  projects: ['prj_1'],
  scopes: ['read:project'],
  scopesQueue: [
    { scopes: { added: ['read:deployment'], upgraded: [] }, note: 'to watch', requestedAt: at },
    { scopes: { added: ['read:user'], upgraded: [] }, note: null, requestedAt: at, confirmedAt: at },
  ],
  source: 'x',
  type: 'x',
  installationType: 'x',
  createdAt: at,
  updatedAt: at,
  completedAt: at,
  deletedAt: null,
}

const machine = await startMachine(
  answers(listConfigurations, () => [installed, { ...installed, id: 'icfg_2', disabledAt: at }]),
  answers(getConfiguration, ({ params }) => {
    if (params.id !== 'icfg_1') throw new AloftError('not_found', 'It is not installed.')
    return installed
  }),
  answers(updateConfiguration, ({ body }) => ({ ...installed, projectSelection: body.projectSelection })),
  answers(confirmScopes, () => ({ ...installed, scopesQueue: [] })),
  answers(transferConfiguration, ({ body }) => ({ ...installed, userId: body.userId })),
  answers(deleteConfiguration, () => undefined),
  answers(getProject, () => sampleProject),
  answers(listTeams, () => acme),
  answers(listMembers, () => [
    { uid: 'u2', role: 'OWNER' as const, email: 'kim@example.com', username: 'kim' },
  ]),
)
after(() => machine[Symbol.asyncDispose]())
const run = (...line: string[]) => machine.run(['integrations', ...line], env)
const last = () => machine.api.requests.at(-1)

test('what is installed is listed, and shown with what it may do and what it asks for', async () => {
  const { stdout } = await run('ls')
  assert.match(stdout, /^icfg_1 +watcher +1 project +requests more +1d ago$/m)
  assert.match(stdout, /^icfg_2 +watcher +1 project +disabled +1d ago$/m)
  const shown = await run('inspect', 'icfg_1')
  assert.match(shown.stdout, /^permissions +read:project$/m)
  assert.match(shown.stdout, /^requested +read:deployment: to watch$/m)
  assert.ok(!shown.stdout.includes('read:user'))
  assert.equal((await run('inspect', 'icfg_9')).code, 4)
})

test('its projects are chosen one by one, or all', async () => {
  await run('projects', 'icfg_1', 'shop')
  assert.deepEqual(last()?.body, { projectSelection: 'selected', projects: ['prj_1'] })
  assert.match((await run('projects', 'icfg_1', '--all')).stdout, /^projects +all$/m)
  assert.equal((await run('projects', 'icfg_1')).code, 2)
})

test('to agree and to remove needs consent', async () => {
  for (const verb of ['confirm', 'rm']) {
    assert.equal((await run(verb, 'icfg_1')).code, 2)
    assert.equal(last()?.method, 'GET')
    assert.equal((await run(verb, 'icfg_1', '--yes')).code, 0)
  }
  assert.equal(last()?.method, 'DELETE')
})

test('another owner of the team answers for it', async () => {
  const { stdout } = await run('transfer', 'icfg_1', 'kim', '--team', 'acme')
  assert.match(stdout, /^owner +u2$/m)
  assert.deepEqual(last()?.query, { teamId: acme.id })
})
