import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleProject, sampleTeam, sampleUser } from '#test/support/samples.ts'
import type { LogEntry } from '../log/log-entry.ts'
import { createMailsForFailedBuild } from './mails-for-failed-build.ts'

const LOG = [
  '$ npm run build',
  'vite v7 building…',
  '\u001b[31merror\u001b[39m Could not resolve "./shop.ts" from src/main.ts (see https://evil.example/help)',
  'Error: The command "npm run build" exited with 1.',
]
const FAILURE = {
  code: 'command_failed',
  message: 'The command "npm run build" exited with 1.',
  step: 'build',
}

async function world(t: TestContext) {
  const { stores, transact, clock } = await openStores(t, usualDatabase)
  const ada = sampleUser({ email: 'ada@example.test' })
  await stores.users.insert(ada)
  const project = sampleProject({ ownerId: ada.id, name: 'shop' })
  await stores.projects.insert(project)
  const entries = LOG.toReversed().map((text) => ({ type: 'stdout', text }) as unknown as LogEntry)
  const tell = createMailsForFailedBuild({
    ...stores,
    log: { read: async () => ({ entries, complete: true }) },
    clock,
    baseUrl: 'https://aloft.test',
  })
  const fail = async (given: Partial<Parameters<typeof sampleDeployment>[0]> = {}, code = FAILURE.code) => {
    const failure = { ...FAILURE, code } as Parameters<typeof tell>[1]
    const deployment = sampleDeployment({
      ...{ ownerId: ada.id, creatorId: ada.id, projectId: project.id, target: 'production' },
      ...{ state: 'BUILDING', readyAt: null, stateAt: clock.now() },
      ...given,
    })
    await stores.deployments.insert(deployment, { manifest: [], sealedEnv: '' })
    const mails = await tell(deployment, failure)
    await stores.deployments.advance(deployment.id, { state: 'ERROR', stateAt: clock.now(), failure })
    return { deployment, mails }
  }
  return { stores, transact, clock, ada, project, fail }
}

test('whoever deployed is told why a build failed, what to try, and where the lines are', async (t) => {
  const { fail } = await world(t)
  const { deployment, mails } = await fail()
  const [mail] = mails
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['ada@example.test'],
  )
  assert.equal(mail?.subject, 'Build failed: shop (production)')
  for (const body of [mail?.text ?? '', mail?.html ?? '']) {
    assert.match(body, /3 {2}error Could not resolve (?:"|&quot;)\.\/shop\.ts(?:"|&quot;) from src\/main\.ts/)
    assert.match(body, /What to try:/)
    assert.ok(body.includes(`https://aloft.test/deployments/${deployment.id}#L3`), 'a link to the line')
    for (const mark of ['evil.example', '\u001b'])
      assert.ok(!body.includes(mark), 'a program cannot put links or colours into it')
    assert.match(body, /Production is unchanged/)
  }
  assert.match(mail?.html ?? '', /Open the build log<\/a>/)
})

test('nobody is told of what they chose, of what they were just told, or where it is turned off', async (t) => {
  const { fail, clock, stores, project } = await world(t)
  assert.equal((await fail({}, 'canceled')).mails.length, 0)
  assert.equal((await fail({}, 'build_ignored')).mails.length, 0)
  assert.equal((await fail()).mails.length, 1)
  assert.equal((await fail()).mails.length, 0, 'a moment later')
  clock.advance(11 * MINUTE)
  assert.equal((await fail()).mails.length, 1)
  clock.advance(11 * MINUTE)
  const details = { ...project.details, emailOnFailedBuild: false }
  await stores.projects.update(project.id, { details }, clock.now())
  assert.equal((await fail()).mails.length, 0)
})

test('somebody who left the team is not told; its owners are', async (t) => {
  const { stores, ada, fail } = await world(t)
  const gone = sampleUser({ email: 'gone@example.test' })
  await stores.users.insert(gone)
  const team = sampleTeam({ creatorId: ada.id })
  await stores.teams.insert(team, ada.id)
  const project = sampleProject({ ownerId: team.id, name: 'team-shop' })
  await stores.projects.insert(project)
  const { mails } = await fail({ ownerId: team.id, creatorId: gone.id, projectId: project.id })
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['ada@example.test'],
  )
})
