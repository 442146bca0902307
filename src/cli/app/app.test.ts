import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  rotateSecret,
  updateApplication,
} from '#contract/api/application.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const application = {
  id: 'oac_1',
  clientId: 'cl_1',
  ownerId: 'u',
  creatorId: 'u',
  name: 'Watcher',
  slug: 'watcher',
  redirectUrl: 'https://watcher.example/back',
  webhookUrl: null,
  scopes: { project: 'read' as const },
  note: null,
  createdAt: Date.now(),
  updatedAt: Date.now(),
}

test('create registers what was said, and prints the secret once', async () => {
  await using machine = await startMachine(
    answers(createApplication, ({ body }) => {
      assert.deepEqual(body, {
        name: 'Watcher',
        redirectUrl: 'https://watcher.example/back',
        scopes: { project: 'read', deployment: 'read-write', user: 'read', team: 'read' },
      })
      return { ...application, clientSecret: 'hush' }
    }),
  )
  const line = ['apps', 'create', '--name', 'Watcher', '--redirect-uri', 'https://watcher.example/back']
  const scopes = ['--scope', 'project:read', '--scope', 'deployment', '--scope', 'read:user,team:read']
  const { code, stdout, stderr } = await machine.run([...line, ...scopes], env)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /client id +cl_1\nclient secret +hush\n/)
  const json = await machine.run([...line, ...scopes, '--json'], env)
  assert.deepEqual(JSON.parse(json.stdout), { ...application, clientSecret: 'hush' })
  for (const [wrong, what] of [
    [[...line, '--scope', 'everything'], /everything/],
    [line, /--scope/],
    [['apps', 'create', ...scopes], /--name/],
  ] as const) {
    const refused = await machine.run([...wrong], env)
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, what)
  }
})

test('applications are listed, given new secrets and removed', async () => {
  await using machine = await startMachine(
    answers(listApplications, () => ({
      applications: [application],
      pagination: { count: 1, next: null, prev: null },
    })),
    answers(getApplication, () => application),
    answers(rotateSecret, () => ({ ...application, clientSecret: 'new' })),
    answers(deleteApplication, ({ params }) => {
      assert.equal(params.id, 'oac_1')
      return undefined
    }),
  )
  const listed = await machine.run(['apps', 'ls'], env)
  assert.match(listed.stdout, /oac_1 +Watcher +watcher +cl_1 +project:read/)
  const rotated = await machine.run(['apps', 'rotate-secret', 'oac_1', '--yes'], env)
  assert.equal(rotated.stdout, 'new\n', rotated.stderr)
  const removed = await machine.run(['apps', 'rm', 'oac_1', '--yes'], env)
  assert.match(removed.stdout, /Deleted the application "Watcher"/, removed.stderr)
})

test('set changes what was named alone', async () => {
  await using machine = await startMachine(
    answers(updateApplication, ({ body }) => {
      assert.deepEqual(body, { webhookUrl: null, scopes: { deployment: 'read-write', project: 'read' } })
      return application
    }),
  )
  const line = ['apps', 'set', 'oac_1', '--webhook-url', 'none', '--scope', 'deployment,project:read']
  assert.equal((await machine.run(line, env)).stdout, 'Changed the application "Watcher".\n')
  assert.equal((await machine.run(['apps', 'set', 'oac_1'], env)).code, 2)
})
